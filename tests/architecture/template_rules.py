"""The rules of the deployed stack: each takes a resolved template and gives its violations, none if it holds."""

from collections.abc import Callable
from typing import Final

from local.template import Template
from tests.architecture import (
    rules_of_access,
    rules_of_alarms,
    rules_of_flow,
    rules_of_mail,
    rules_of_resources,
    rules_of_sandbox,
    rules_of_site,
    rules_of_uploads,
)

type Rule = Callable[[Template], list[str]]

RULES: Final[tuple[Rule, ...]] = (
    rules_of_flow.check_visibility,
    rules_of_flow.check_redrive,
    rules_of_flow.check_partial_failures,
    rules_of_flow.check_streams,
    rules_of_flow.check_evaluate,
    rules_of_flow.check_shares,
    rules_of_access.check_rights,
    rules_of_access.check_one_way,
    rules_of_access.check_ground_truth,
    rules_of_access.check_access_keys,
    rules_of_access.check_tls,
    rules_of_access.check_unchanged,
    rules_of_access.check_withdrawals,
    rules_of_access.check_senders,
    rules_of_uploads.check_uploads,
    rules_of_uploads.check_expiry,
    rules_of_resources.check_functions,
    rules_of_resources.check_environments,
    rules_of_resources.check_buckets,
    rules_of_resources.check_tables,
    rules_of_resources.check_queues,
    rules_of_resources.check_http,
    rules_of_sandbox.check_tenants,
    rules_of_sandbox.check_attempts,
    rules_of_sandbox.check_callers,
    rules_of_sandbox.check_sandbox_role,
    rules_of_sandbox.check_network,
    rules_of_sandbox.check_security_group,
    rules_of_sandbox.check_room,
    rules_of_sandbox.check_generations,
    rules_of_site.check_site_bucket,
    rules_of_site.check_errors,
    rules_of_site.check_headers,
    rules_of_site.check_api,
    rules_of_site.check_caching,
    rules_of_site.check_viewer,
    rules_of_site.check_protocols,
    rules_of_mail.check_sender,
    rules_of_mail.check_reports,
    rules_of_mail.check_schedules,
    rules_of_mail.check_stream_readers,
    rules_of_alarms.check_function_alarms,
    rules_of_alarms.check_queue_alarms,
    rules_of_alarms.check_stream_alarms,
    rules_of_alarms.check_outer_alarms,
    rules_of_alarms.check_alarms,
    rules_of_alarms.check_alarm_topic,
    rules_of_alarms.check_dashboard,
)
