"""What keeps anything from being lost or doubled, how each of it could be taken away, and the tests that would tell.

`scripts/checks/mutate.py` applies one after another to a copy of the tree and shows that these tests turn red.
"""

from typing import NamedTuple

_ALWAYS = "(attribute_exists({0}) OR attribute_not_exists({0}))"
_STORAGE = "layers/storage/storage"
_CONTRACT = "tests/contract"
_INTEGRATION = "tests/integration"


class Mutation(NamedTuple):
    """A guard taken away.

    Args:
        name: What it guards.
        path: The file that holds it.
        before: Its text, which the file holds once.
        after: What stands there instead.
        tests: What tells: test files, or single tests.
    """

    name: str
    path: str
    before: str
    after: str
    tests: tuple[str, ...]


def _ignoring(name: str, path: str, condition: str, attribute: str, *tests: str) -> Mutation:
    """Let a condition hold whatever is there; the names that it uses are still used."""
    return Mutation(name, path, f'"{condition}"', f'"{condition} OR {_ALWAYS.format(attribute)}"', tests)


CONDITIONS = (
    _ignoring(
        "the first terminal outcome stands",
        f"{_STORAGE}/submissions/store.py",
        "attribute_not_exists(#benchmark)",
        "#benchmark",
        f"{_CONTRACT}/test_submission_store.py",
    ),
    _ignoring(
        "the newer revision of a contribution stands",
        f"{_STORAGE}/boards/standings.py",
        "attribute_not_exists(#board) OR #revision < :revision",
        "#board",
        f"{_CONTRACT}/test_standing_store.py",
    ),
    Mutation(
        "a contribution may be raised",
        f"{_STORAGE}/boards/standings.py",
        "attribute_not_exists(#board) OR #revision < :revision",
        "attribute_not_exists(#board) OR #revision > :revision",
        (f"{_CONTRACT}/test_standing_store.py",),
    ),
    Mutation(
        "a withdrawal raises the revision",
        "functions/aggregate/aggregator.py",
        "record.revision + 1 if withdrawal else record.revision",
        "record.revision",
        (f"{_INTEGRATION}/test_aggregate_withdrawal.py",),
    ),
    Mutation(
        "a standing is written over the one that was read",
        f"{_STORAGE}/boards/standings.py",
        '"#counter = :counter" if counter',
        f'"#counter = :counter OR {_ALWAYS.format("#counter")}" if counter',
        (f"{_CONTRACT}/test_standing_store.py",),
    ),
    Mutation(
        "the first standing is the first",
        f"{_STORAGE}/boards/standings.py",
        'else "attribute_not_exists(#board)"',
        f'else "{_ALWAYS.format("#board")}"',
        (f"{_CONTRACT}/test_standing_store.py",),
    ),
    _ignoring(
        "the first claim of an idempotency key stands",
        f"{_STORAGE}/access/idempotency.py",
        "attribute_not_exists(#key) OR #expires_at < :now",
        "#key",
        f"{_CONTRACT}/test_access_store.py",
    ),
    _ignoring(
        "the first withdrawal stands",
        f"{_STORAGE}/submissions/withdrawals.py",
        "attribute_not_exists(#withdrawn_at)",
        "#withdrawn_at",
        f"{_CONTRACT}/test_withdrawals.py",
    ),
    Mutation(
        "a quota is not passed",
        f"{_STORAGE}/access/quotas.py",
        '"contains(#used, :id) OR ((attribute',
        '"NOT contains(#used, :id) OR contains(#used, :id) OR ((attribute',
        (f"{_CONTRACT}/test_quota_store.py",),
    ),
    Mutation(
        "uploads have a quota",
        f"{_STORAGE}/access/quotas.py",
        "#tickets < :per_day",
        "#tickets < :per_day OR #tickets >= :per_day",
        (f"{_CONTRACT}/test_quota_store.py",),
    ),
    Mutation(
        "what is given back is bounded",
        f"{_STORAGE}/access/quotas.py",
        "#freed < :freeable",
        "#freed < :freeable OR #freed >= :freeable",
        (f"{_CONTRACT}/test_quota_store.py",),
    ),
    Mutation(
        "what drops are given back is bounded",
        f"{_STORAGE}/access/quotas.py",
        "if day.freed_dropped < TIMES_FREED * per_day else 0",
        "if day.freed_dropped >= 0 else 0",
        (f"{_CONTRACT}/test_quota_store.py",),
    ),
    Mutation(
        "a quota of drops that was lowered lets none in",
        f"{_STORAGE}/access/quotas.py",
        "max(0, per_day - len(counted))",
        "per_day - len(counted)",
        (f"{_CONTRACT}/test_quota_store.py",),
    ),
    Mutation(
        "only what was counted is settled",
        f"{_STORAGE}/access/quotas.py",
        'ADD #invalid :ids", "contains(#used, :id)"',
        'ADD #invalid :ids", "contains(#used, :id) OR NOT contains(#used, :id)"',
        (f"{_CONTRACT}/test_quota_store.py",),
    ),
    Mutation(
        "drops that are charged at once do not pass their quota",
        f"{_STORAGE}/access/quotas.py",
        'condition = "size(#dropped) = :size" if counted',
        'condition = "size(#dropped) = :size OR size(#dropped) <> :size" if counted',
        (f"{_CONTRACT}/test_quota_store.py",),
    ),
    Mutation(
        "an intent is noted once",
        f"{_STORAGE}/mail/outbox.py",
        'self._put(Schema.INTENT, intent.to_item(MailState.PENDING), "attribute_not_exists(#item)")',
        f'self._put(Schema.INTENT, intent.to_item(MailState.PENDING), "{_ALWAYS.format("#item")}")',
        (f"{_CONTRACT}/test_mail_store.py",),
    ),
    Mutation(
        "a lease has one holder",
        f"{_STORAGE}/mail/outbox.py",
        '"#revision = :seen"',
        '"#revision = :seen OR #revision <> :seen"',
        (f"{_CONTRACT}/test_mail_store.py",),
    ),
    Mutation(
        "the first lease has one holder",
        f"{_STORAGE}/mail/outbox.py",
        'self._put(Schema.LEASE, lease.to_item(thread), "attribute_not_exists(#item)")',
        f'self._put(Schema.LEASE, lease.to_item(thread), "{_ALWAYS.format("#item")}")',
        (f"{_CONTRACT}/test_mail_store.py",),
    ),
    Mutation(
        "a lease lasts",
        f"{_STORAGE}/mail/outbox.py",
        "return lease.until <= to_seconds(now)",
        "return True",
        (f"{_CONTRACT}/test_mail_store.py",),
    ),
    Mutation(
        "what an ended mail counted is not mailed again",
        f"{_STORAGE}/mail/outbox.py",
        "pending = [one for one in pending if one.key not in seen.counted]",
        "pass",
        (f"{_CONTRACT}/test_mail_store.py",),
    ),
    Mutation(
        "a mail that is sent again counts the same",
        f"{_STORAGE}/mail/outbox.py",
        "[one for one in pending if one.key in counted] or pending",
        "pending",
        (f"{_CONTRACT}/test_mail_store.py",),
    ),
    Mutation(
        "a generation is left once",
        f"{_STORAGE}/sandbox/generations.py",
        '"#generation = :seen" if generation else "attribute_not_exists(#key)"',
        f'"#generation = :seen OR #generation <> :seen" if generation else "{_ALWAYS.format("#key")}"',
        (f"{_CONTRACT}/test_generation_store.py",),
    ),
    Mutation(
        "If-Match: what was not read is not replaced",
        f"{_STORAGE}/aws/conditional.py",
        '{"IfMatch": replacing} if replacing',
        "{} if replacing",
        (f"{_CONTRACT}/test_snapshot_store.py",),
    ),
    Mutation(
        "If-None-Match: what is there is not replaced",
        f"{_STORAGE}/aws/conditional.py",
        'else {"IfNoneMatch": "*"}',
        "else {}",
        (f"{_CONTRACT}/test_submission_store.py",),
    ),
    Mutation(
        "the first report of a drop stands",
        f"{_STORAGE}/batches/reports.py",
        "if standing is not None and not _gives_way(standing[0], report):",
        "if standing is not None and False:",
        (f"{_CONTRACT}/test_drop_reports.py",),
    ),
)
"""Conditions of writes."""

RELEASES = (
    Mutation(
        "what newer code wrote is not read by guess",
        f"{_STORAGE}/aws/schema.py",
        "if schema > self.newest:",
        "if schema > self.newest + 1:",
        (f"{_CONTRACT}/test_stored_forms.py",),
    ),
    Mutation(
        "what newer code wrote is not written over",
        f"{_STORAGE}/aws/conditional.py",
        "OR #schema <= :newest)",
        "OR #schema <= :newest OR #schema > :newest)",
        (f"{_CONTRACT}/test_stored_forms.py",),
    ),
    Mutation(
        "old code brings back what newer code wrote",
        f"{_STORAGE}/aws/schema.py",
        'self.check(int(item["schema"]["N"]))',
        "pass",
        ("tests/faults/test_releases.py",),
    ),
)
"""What keeps two releases apart."""

_NOTHING_FAILED = 'return {"batchItemFailures": []}'
_STREAM_ANSWER = 'return {"batchItemFailures": [{"itemIdentifier": one} for one in sorted(failed, key=int)[:1]]}'
_QUEUE_ANSWER = (
    "return process_partial_response(event, record_handler=handle_message, processor=processor, context=context)"
)
_QUEUE_ANSWER_LOST = (
    "process_partial_response(event, record_handler=handle_message, processor=processor, context=context)\n"
    f"    {_NOTHING_FAILED}"
)


def _forgetting(name: str, path: str, *tests: str) -> Mutation:
    answer = _STREAM_ANSWER if path.endswith("stream.py") else _QUEUE_ANSWER
    after = _NOTHING_FAILED if path.endswith("stream.py") else _QUEUE_ANSWER_LOST
    return Mutation(f"{name}: what failed is told", path, answer, after, tests)


DELIVERIES = (
    _forgetting("evaluate", "functions/evaluate/queue.py", f"{_INTEGRATION}/test_evaluate_queue.py"),
    _forgetting("dead letters", "functions/evaluate/dead_letter.py", f"{_INTEGRATION}/test_dead_letter_queue.py"),
    _forgetting("drops", "functions/submit/batches.py", f"{_INTEGRATION}/test_drop.py"),
    _forgetting("dead drops", "functions/submit/batch_dead_letters.py", f"{_INTEGRATION}/test_drop.py"),
    _forgetting("mail", "functions/notify/send.py", f"{_INTEGRATION}/test_notify.py"),
    _forgetting("boards", "functions/aggregate/stream.py", f"{_INTEGRATION}/test_aggregate_stream.py"),
    _forgetting("intents", "functions/notify/stream.py", f"{_INTEGRATION}/test_notify.py"),
    Mutation(
        "evaluate: ReportBatchItemFailures",
        "template.yaml",
        "ScalingConfig: {MaximumConcurrency: 10}\n            FunctionResponseTypes: [ReportBatchItemFailures]",
        "ScalingConfig: {MaximumConcurrency: 10}",
        ("tests/architecture/test_template.py",),
    ),
    Mutation(
        "a board that could not be published comes back",
        "functions/aggregate/stream.py",
        "failed.append(change.sequence_number)",
        "pass",
        (f"{_INTEGRATION}/test_aggregate_stream.py",),
    ),
    Mutation(
        "records behind the one that failed come back",
        "functions/aggregate/stream.py",
        'failed.append(one["dynamodb"]["SequenceNumber"])\n            break',
        'failed.append(one["dynamodb"]["SequenceNumber"])',
        (f"{_INTEGRATION}/test_aggregate_stream.py",),
    ),
    Mutation(
        "a message is deleted after it was handled",
        "local/event_sources.py",
        'answer = self.function.invoke({"Records": [self._record(one) for one in messages]})',
        "for message in messages:\n                self.cloud.sqs.delete_message("
        'QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])\n'
        '            answer = self.function.invoke({"Records": [self._record(one) for one in messages]})',
        (f"{_INTEGRATION}/test_sources.py",),
    ),
    Mutation(
        "requests that wait for an outcome leave workers to others",
        "local/site/gateway.py",
        "has_place = self._places.acquire(timeout=seconds)",
        "has_place = True",
        (f"{_INTEGRATION}/test_local_gateway.py",),
    ),
)
"""What tells a source that something failed."""

STRANGERS = (
    Mutation(
        "the local AWS answers what the stack's key has signed",
        "local/uploads/signatures.py",
        "if not self.credentials.has_signed(text, scope, claim.signature):",
        "if not text:",
        (f"{_INTEGRATION}/test_local_signatures.py",),
    ),
    Mutation(
        "every header of AWS's own is signed",
        "local/uploads/signatures.py",
        'if not _list_amz_headers(environ) | {"host"} <= signed:',
        'if not {"host"} <= signed:',
        (f"{_INTEGRATION}/test_local_signatures.py",),
    ),
    Mutation(
        "a form of the local uploads was signed",
        "local/uploads/post_policy.py",
        "    _check_signature(fields, credentials)\n    policy",
        "    policy",
        (f"{_INTEGRATION}/test_local_uploads.py",),
    ),
    Mutation(
        "a form has no field that its policy does not name",
        "local/uploads/post_policy.py",
        "    if extra:",
        "    if extra and not fields:",
        (f"{_INTEGRATION}/test_local_uploads.py",),
    ),
    Mutation(
        "the local server answers under its own names",
        "local/site/hosts.py",
        "if host not in self._names:",
        "if host is None:",
        ("tests/unit/test_hosts.py",),
    ),
    Mutation(
        "what is not public is for pages of the local server",
        "local/site/hosts.py",
        "if origin is None or request.path.startswith(_PUBLIC) or self._is_ours(origin):",
        "if origin is None or True:",
        ("tests/unit/test_hosts.py",),
    ),
)
"""What keeps pages of other origins and other programs out of the stack on one machine."""

ORDER = (
    Mutation(
        "a result is kept before it is acknowledged",
        "functions/submit/services/submissions.py",
        "self.submissions.put_result(submission, handover.body, content_type=MEDIA_TYPE)",
        "True",
        (f"{_INTEGRATION}/test_submit_accepts.py",),
    ),
    Mutation(
        "a repeat is the same submission",
        "functions/submit/services/submissions.py",
        "return _Claimed(claim.submission, receipt, key",
        "return _Claimed(new.submission, receipt, key",
        (f"{_INTEGRATION}/test_submit_idempotency.py",),
    ),
    Mutation(
        "long output lies in S3 before an item says so",
        f"{_STORAGE}/submissions/store.py",
        "self.s3.put_object(\n                    Bucket=self.bucket, Key=key",
        "dict(\n                    Bucket=self.bucket, Key=key",
        (f"{_CONTRACT}/test_submission_store.py",),
    ),
    Mutation(
        "a lost race starts over",
        "functions/aggregate/publisher.py",
        "orphan = head.rows_url\n                continue",
        "return",
        (f"{_INTEGRATION}/test_aggregate_publisher.py",),
    ),
    Mutation(
        "rows stay for readers of the head before",
        "functions/aggregate/publisher.py",
        "KEEP_REPLACED = timedelta(minutes=10)",
        "KEEP_REPLACED = timedelta(0)",
        (f"{_INTEGRATION}/test_aggregate_publisher.py",),
    ),
    Mutation(
        "the rows of a lost race are deleted only where no head names them",
        "functions/aggregate/publisher.py",
        "if rows_url is not None and (head is None or rows_url not in _named_rows(head.value)):",
        "if rows_url is not None:",
        (f"{_INTEGRATION}/test_aggregate_publisher.py",),
    ),
    Mutation(
        "a withdrawn submission stays off the board, whatever comes later",
        "functions/aggregate/aggregator.py",
        "withdrawn=withdrawal is not None",
        "withdrawn=False",
        (f"{_INTEGRATION}/test_aggregate_withdrawal.py",),
    ),
    Mutation(
        "a drop that is read twice makes the same submissions",
        f"{_STORAGE}/batches/uploads.py",
        "version_id=self.version_id, entry=entry)",
        "version_id=__import__('uuid').uuid4().hex, entry=entry)",
        (f"{_INTEGRATION}/test_drop.py",),
    ),
    Mutation(
        "a mail is noted as sent after SES has it",
        "functions/notify/sender.py",
        "self.post_office.send(message, sender=self.sender_address, to=addressee.address)\n"
        "        self.mail.finish(claim, now=self.clock())",
        "self.mail.finish(claim, now=self.clock())\n"
        "        self.post_office.send(message, sender=self.sender_address, to=addressee.address)",
        (f"{_INTEGRATION}/test_notify.py",),
    ),
)
"""What must come first, or must not be taken away."""

ITEMS = (
    Mutation(
        "scores that no record holds are the owner's error",
        "layers/scoring_core/scoring_core/judgement.py",
        "if size_bytes > MAX_SCORES_BYTES:",
        "if size_bytes < 0:",
        ("tests/unit/test_judgement.py",),
    ),
    Mutation(
        "a message of a broken bundle fits a record",
        "functions/evaluate/evaluator.py",
        "message=cut_message(error.message)",
        "message=error.message",
        (f"{_INTEGRATION}/test_evaluate_queue.py",),
    ),
    Mutation(
        "what is no version names no record",
        "functions/submit/services/status.py",
        "if version and not is_version(version):",
        "if version and not version:",
        (f"{_INTEGRATION}/test_submit_keys.py",),
    ),
)
"""What keeps keys and items within what DynamoDB takes."""

_SIZES = (f"{_INTEGRATION}/test_submit_answer_sizes.py",)
SIZES = (
    Mutation(
        "an answer that Lambda would not send is replaced",
        "functions/submit/http.py",
        "if size_bytes > MAX_ANSWER_BYTES:",
        "if size_bytes < 0:",
        _SIZES,
    ),
    Mutation(
        "a long detail comes by its address",
        "functions/submit/services/status.py",
        "or measure(view) <= MAX_BODY_BYTES:",
        "or measure(view):",
        _SIZES,
    ),
    Mutation(
        "a page of errors ends where an answer must",
        "functions/submit/services/errors.py",
        "if left < 0 and errors:",
        "if not error:",
        _SIZES,
    ),
    Mutation(
        "a page of errors holds one at least",
        "functions/submit/services/errors.py",
        "if left < 0 and errors:",
        "if left < 0:",
        _SIZES,
    ),
    Mutation(
        "the failures of a batch end where an answer must",
        "functions/submit/services/batches.py",
        "if left < 0 or len",
        "if len",
        _SIZES,
    ),
    Mutation(
        "the questions of DRES end where an answer must",
        "functions/submit/dres/service.py",
        "evaluation if left >= 0 else",
        "evaluation if left else",
        _SIZES,
    ),
)
"""What keeps an answer within what Lambda sends."""

PRIVACY = (
    Mutation(
        "a raw result is handed out without its metadata",
        f"{_STORAGE}/submissions/store.py",
        'MetadataDirective="REPLACE"',
        'MetadataDirective="COPY"',
        (f"{_INTEGRATION}/test_submit_privacy.py",),
    ),
    Mutation(
        "an address cannot be found by trying all of them",
        "functions/submit/auth.py",
        "hmac.digest(self.origin_secret.encode(), address, hashlib.sha256).hex()",
        "hashlib.sha256(address.split(b'\\0')[1]).hexdigest()",
        (f"{_INTEGRATION}/test_submit_privacy.py",),
    ),
)
"""What keeps people's addresses and secrets from others."""

UNFINISHED = (
    Mutation(
        "a bundle whose pointer was not written is not published",
        f"{_STORAGE}/benchmarks/store.py",
        "before.published.scored_under[-1].shows(benchmark)",
        "before.published.scored_under[-1].version == benchmark.version",
        (f"{_CONTRACT}/test_benchmark_store.py",),
    ),
    Mutation(
        "a board with a standing of an older ranking says so",
        "functions/aggregate/publisher.py",
        "else min(published.revision, state.revision)",
        "else published.revision",
        (f"{_INTEGRATION}/test_rescore.py",),
    ),
    Mutation(
        "a version under which nothing has a score is withheld",
        f"{_STORAGE}/benchmarks/rescores.py",
        "if scored and is_empty:",
        "if not scored and is_empty:",
        (f"{_INTEGRATION}/test_rescore.py",),
    ),
    Mutation(
        "a version under which a result ended by a fault of ours is withheld",
        f"{_STORAGE}/benchmarks/rescores.py",
        "        if failed:",
        "        if not scored:",
        (f"{_INTEGRATION}/test_rescore.py",),
    ),
    Mutation(
        "a long sweep queues what it has found so far",
        "functions/evaluate/sweeper.py",
        "window=window), BATCH, strict=False)",
        "window=window), 1_000_000, strict=False)",
        (f"{_INTEGRATION}/test_sweep.py",),
    ),
    Mutation(
        "the mail of a drop waits for its report",
        "functions/notify/sender.py",
        "if self.clock() - noted_at < GIVE_UP:",
        "if self.clock() - noted_at < PUT_OFF:",
        (f"{_INTEGRATION}/test_notify.py",),
    ),
    Mutation(
        "the mail of a drop tells what the boards show",
        "functions/notify/sender.py",
        "version=addressee.version)",
        'version="")',
        (f"{_INTEGRATION}/test_notify.py",),
    ),
    Mutation(
        "a repeat of what was taken in is not charged again",
        "functions/submit/services/submissions.py",
        "if claimed.earlier and self.submissions",
        "if claimed.key is None and self.submissions",
        (f"{_INTEGRATION}/test_submit_idempotency.py",),
    ),
    Mutation(
        "an entry of a drop whose quota is settled is not charged again",
        "functions/submit/batch_import/importer.py",
        "if id_ not in job.recorded",
        'if id_ != "recorded"',
        (f"{_INTEGRATION}/test_drop.py",),
    ),
)
"""What one try leaves undone the next must finish, once, and not take for done."""


_RUNNER = "functions/sandbox/runner.py"
_POOL = ("tests/unit/test_runner_pool.py",)
SANDBOX = (
    Mutation(
        "a runner that cannot serve again is closed", "sandbox/runner_pool.py", "if not reusable:", "if False:", _POOL
    ),
    Mutation(
        "a spent runner serves no further run", "sandbox/runner_pool.py", 'not answer.get("spent") and ', "", _POOL
    ),
    Mutation(
        "a runner serves one tenant",
        "sandbox/runner_pool.py",
        "if idle.tenant == tenant]",
        "if idle.tenant and tenant]",
        _POOL,
    ),
    Mutation(
        "an idle runner that died is not asked", "sandbox/runner_pool.py", "if runner.is_alive():", "if runner:", _POOL
    ),
    Mutation("idle runners are few", "sandbox/runner_pool.py", "<= self._max_idle:", "<= self._max_idle + 1:", _POOL),
    Mutation(
        "a closed pool keeps no runner", "sandbox/runner_pool.py", "self._max_idle = 0", "self._idle.clear()", _POOL
    ),
    Mutation(
        "a name that is known in one folder of the runner is known in no other",
        _RUNNER,
        "if besides.parent.samefile(self._path) else",
        "if besides.parent else",
        (f"{_INTEGRATION}/test_sandbox_runner.py::test_folder_that_is_named_as_the_scripts_own_is_wiped_too",),
    ),
    Mutation(
        "what the runner found in its folders stays as it was",
        _RUNNER,
        " and self._mark_known() == self._marks",
        "",
        (f"{_INTEGRATION}/test_sandbox_runner.py::test_changed_file_that_was_there_before_spends_the_runner",),
    ),
    Mutation(
        "source that ends the warm interpreter is the script's own affair",
        _RUNNER,
        "not self._launch(0, places)",
        "places",
        (f"{_INTEGRATION}/test_sandbox.py::test_import_that_is_never_reached_spoils_nothing",),
    ),
    Mutation(
        "warming has an end",
        _RUNNER,
        "_within(times[1], cpu_seconds)",
        "_within(times[1], cpu_seconds * 1000)",
        (f"{_INTEGRATION}/test_sandbox_runner.py::test_warming_that_lasts_too_long_is_left_to_the_runs",),
    ),
    Mutation(
        "sockets are counted",
        _RUNNER,
        " or self._before.opened_sockets() > self._most_sockets",
        "",
        (f"{_INTEGRATION}/test_sandbox.py::test_without_a_control_group_the_kernels_memory_is_bounded",),
    ),
    Mutation(
        "threads find room",
        _RUNNER,
        "_LIBC.mallopt(_M_ARENA_MAX, 1)",
        "pass",
        (f"{_INTEGRATION}/test_sandbox.py::test_threads_up_to_the_limit_find_room",),
    ),
    Mutation(
        "locks of files are counted",
        _RUNNER,
        "self._before.taken_locks() > self._most_locks",
        "False",
        (f"{_INTEGRATION}/test_sandbox.py::test_without_a_control_group_the_kernels_memory_is_bounded",),
    ),
    Mutation(
        "groups of a process whose number another one has are stale",
        "sandbox/cgroup.py",
        "_read_start(int(name[1])) != name[2]",
        "not _read_start(int(name[1]))",
        (f"{_INTEGRATION}/test_sandbox.py::test_groups_of_a_killed_process_are_removed_by_the_next_one",),
    ),
    Mutation(
        "an empty file counts",
        _RUNNER,
        "files * _INODE_BYTES",
        "files * 0",
        (f"{_INTEGRATION}/test_sandbox.py::test_without_a_control_group_the_kernels_memory_is_bounded",),
    ),
    Mutation(
        "no run makes rules of Landlock or filters",
        _RUNNER,
        "    _refuse_more_walls()\n    control",
        "    control",
        (
            "tests/hostile/test_hostile_scripts.py::test_script_ends_as_its_first_line_says_and_leaves_nothing[look_landlock]",
        ),
    ),
    Mutation(
        "reading leaves no access time behind",
        _RUNNER,
        "os.utime(path, ns=(_FAR_FUTURE_NS, 0))",
        "os.utime(path)",
        (f"{_INTEGRATION}/test_sandbox.py::test_reading_leaves_no_note",),
    ),
)
"""What keeps runs of the sandbox apart, and what is left of them."""


_LIMITS_OF_OWNERS = "tests/unit/test_owner_limits.py"
OWNERS = (
    Mutation(
        "a file of a folder is not larger than pages can bear",
        "layers/scoring_core/scoring_core/owner_limits.py",
        "len(content) > limit:",
        "len(content) > 1_000 * limit:",
        (_LIMITS_OF_OWNERS,),
    ),
    Mutation(
        "a text of a definition is one line",
        "layers/scoring_core/scoring_core/owner_limits.py",
        "if harmful is not None:",
        'if harmful == "never":',
        (_LIMITS_OF_OWNERS,),
    ),
    Mutation(
        "a sample is JSON",
        "layers/scoring_core/scoring_core/owner_limits.py",
        "strict_json.loads(sample)",
        "sample.decode()",
        (_LIMITS_OF_OWNERS,),
    ),
    Mutation(
        "a description that was published before is cut where it is read",
        f"{_STORAGE}/benchmarks/store.py",
        "max_bytes=MAX_DESCRIPTION_BYTES, note=_CUT",
        "max_bytes=10**9, note=_CUT",
        (_LIMITS_OF_OWNERS,),
    ),
    Mutation(
        "a description gives way where a head is too large",
        "functions/aggregate/fitting.py",
        "max_bytes=size.description, note=CUT",
        "max_bytes=MAX_DESCRIPTION_BYTES, note=CUT",
        ("tests/unit/test_fitting.py",),
    ),
    Mutation(
        "a badge shows no control of a title that was published before",
        "functions/aggregate/badge.py",
        "shorten(mask_harmful(text[: length + 1]), length)",
        "shorten(text, length)",
        ("tests/unit/test_badge.py",),
    ),
    Mutation(
        "lines that were published before are harmless where they are read",
        f"{_STORAGE}/benchmarks/store.py",
        "Annotated[Definition, AfterValidator(_mask_lines)]",
        "Definition",
        (_LIMITS_OF_OWNERS,),
    ),
    Mutation(
        "workers of the local stack start one at a time",
        "local/functions.py",
        "with self._starting:  # of many at once none would be ready before all are",
        "if self._slots:",
        (f"{_INTEGRATION}/test_local_functions.py",),
    ),
    Mutation(
        "no path that is asked for commands the terminal of the local stack",
        "local/__main__.py",
        'show_harmless(line).replace("\\n", "\\\\n")',
        "line",
        ("tests/unit/test_local_log.py",),
    ),
    Mutation(
        "waiting for one file that fails keeps the report of the others",
        "cli/api.py",
        "except (ApiError, httpx.TransportError) as error:",
        "except KeyError as error:",
        (f"{_INTEGRATION}/test_owner_commands.py",),
    ),
    Mutation(
        "a number that no double can hold is refused in a sentence",
        "layers/scoring_core/scoring_core/metrics/score_type.py",
        "except OverflowError:",
        "except KeyError:",
        ("tests/unit/test_benchmark_faults.py",),
    ),
    Mutation(
        "a tag of YAML is refused",
        "layers/scoring_core/scoring_core/io/strict_yaml.py",
        "if tag is not None:",
        'if tag == "never":',
        ("tests/unit/test_strict_yaml.py",),
    ),
)
"""What an owner hands in has an end, and commands nothing."""

WAITING = (
    Mutation(
        "a rescore is not waited for once another version is published",
        "cli/rescoring.py",
        "while lacking and not _is_current(mover, published):",
        "while lacking:",
        (f"{_INTEGRATION}/test_rescore.py",),
    ),
    Mutation(
        "a rescore is not waited for where the queue stands still",
        "cli/rescoring.py",
        "elif now - since > MAX_IDLE_SECONDS:",
        "elif now - since > MAX_IDLE_SECONDS * 10_000:",
        (f"{_INTEGRATION}/test_rescore.py",),
    ),
    Mutation(
        "a drop that is never scored is not called scored",
        "cli/drops.py",
        'status["status"] == "done" and',
        "",
        (f"{_INTEGRATION}/test_drop_command.py",),
    ),
    Mutation(
        "who loses a race reads who has won it",
        f"{_STORAGE}/benchmarks/store.py",
        'raise PublishConflict(f"{published.id} was published by somebody else at the same time") from error',
        "raise error",
        (f"{_INTEGRATION}/test_rescore.py",),
    ),
)
"""What a command waits for can still come; what it lost it says."""

_LINEAR = "tests/fuzz/test_linear_readers.py"
_READER = f"{_LINEAR}::test_reader_takes_linear_time"
LINEAR = (
    Mutation(
        "white space before a letter is taken once",
        "layers/scoring_core/scoring_core/scorers/iqa_fusion/scoring.py",
        r"\s*+(?:\(\s*+)?(",
        r"\s*\(?\s*(",
        (f"{_LINEAR}::test_regular_expression_takes_linear_time",),
    ),
    Mutation(
        "the words of a long answer are counted once",
        "layers/scoring_core/scoring_core/scorers/squad_v2/marks.py",
        "<= _MANY_WORDS",
        "<= 10**9",
        (f"{_READER}[squad_v2: golds and answers-many golds]",),
    ),
    Mutation(
        "a number of a definition has an end",
        "layers/scoring_core/scoring_core/io/strict_yaml.py",
        "> MAX_NUMBER_LENGTH:",
        "> 10**9:",
        ("tests/unit/test_strict_yaml.py",),
    ),
)
"""Reading takes time in proportion to what is read."""

SHARES = (
    Mutation(
        "a script is scored in its benchmark's share",
        "functions/evaluate/sharing.py",
        "return has_script or ",
        "return ",
        (f"{_INTEGRATION}/test_evaluate_shares.py",),
    ),
    Mutation(
        "what had to wait is scored in its benchmark's share",
        "functions/evaluate/sharing.py",
        " or waited > WAIT_LIMIT",
        "",
        (f"{_INTEGRATION}/test_evaluate_shares.py",),
    ),
    Mutation(
        "what comes back is tried in its benchmark's share",
        "functions/evaluate/queue.py",
        "tries=notice.tries + receives - 1",
        "tries=notice.tries",
        (f"{_INTEGRATION}/test_evaluate_shares.py",),
    ),
    Mutation(
        "the bound of processor time is taken away however scoring ends",
        "layers/scoring_core/scoring_core/time_limit.py",
        "        finally:\n            armed = False\n    finally:\n",
        "        finally:\n            pass\n    finally:\n        armed = False\n",
        ("tests/unit/test_time_limit.py",),
    ),
    Mutation(
        "what fails in its share again and again is given up",
        "functions/evaluate/sharing.py",
        "tries = notice.tries + 1",
        "tries = 1",
        (f"{_INTEGRATION}/test_evaluate_shares.py",),
    ),
    Mutation(
        "a benchmark has so many slots",
        f"{_STORAGE}/submissions/queues.py",
        'MessageGroupId=f"{key.benchmark}#{slot}"',
        'MessageGroupId=f"{key.benchmark}#{slot}{cause}"',
        (f"{_INTEGRATION}/test_evaluate_shares.py",),
    ),
    Mutation(
        "a slot tries a result once",
        "functions/evaluate/queue.py",
        "if count_receives(record) == 1:",
        "if count_receives(record):",
        (f"{_INTEGRATION}/test_evaluate_shares.py",),
    ),
    Mutation(
        "a scorer's processor time is bounded",
        "layers/scoring_core/scoring_core/judgement.py",
        "with limit_processor_time(max_seconds):",
        "with limit_processor_time(max_seconds * 1000):",
        ("tests/unit/test_time_limit.py",),
    ),
)
"""What keeps one benchmark, or one result, from taking all evaluators."""

_PLAYERS = ("tests/unit/test_players.py",)
_ACCOUNTS = (f"{_CONTRACT}/test_token_store.py",)
NAMES = (
    Mutation(
        "a name has marks of its own script", f"{_STORAGE}/access/names.py", "    _check_marks(shown)\n", "", _PLAYERS
    ),
    Mutation(
        "a name has nothing that is shown as blank",
        f"{_STORAGE}/access/names.py",
        "        or character in _BLANK\n",
        "",
        _PLAYERS,
    ),
    Mutation(
        "a symbol makes no other name",
        f"{_STORAGE}/access/names.py",
        'return category[0] in "SPZ"',
        'return category[0] in "PZ"',
        _PLAYERS,
    ),
    Mutation(
        "no guest claims to be verified",
        "functions/submit/services/players.py",
        "if claims_rank(shown):",
        "if claims_rank(shown) and not shown:",
        _PLAYERS,
    ),
    Mutation(
        "a player keeps the name of an earlier release",
        f"{_STORAGE}/access/players.py",
        "keeps = known is not None and known.player.name == player.name",
        "keeps = known is None and False",
        _ACCOUNTS,
    ),
    Mutation(
        "a badge marks a guest",
        "functions/aggregate/badge.py",
        "verified=head.rows.verified[0])",
        "verified=True)",
        ("tests/unit/test_badge.py",),
    ),
    Mutation(
        "a problem repeats no secret",
        "functions/submit/problems.py",
        "self.detail = hide_secrets(self.detail)",
        "hide_secrets(self.detail)",
        (f"{_INTEGRATION}/test_submit_callers.py::test_no_answer_repeats_a_secret",),
    ),
)
"""What keeps a guest from looking like a verified player, and a secret from being shown."""

MUTATIONS = (
    *NAMES,
    *CONDITIONS,
    *RELEASES,
    *DELIVERIES,
    *STRANGERS,
    *ORDER,
    *UNFINISHED,
    *SANDBOX,
    *SIZES,
    *ITEMS,
    *PRIVACY,
    *OWNERS,
    *WAITING,
    *LINEAR,
    *SHARES,
)
