/** What is known of a submission: polled until its outcome is final and the board shows its rank. */

import { useEffect, useRef, useState } from "preact/hooks";

import { nextPause, OWN_SECONDS } from "../../../sdk/beat.js";
import { fetchHead } from "../api/client.ts";
import type { SubmissionView } from "../api/generated/types.ts";
import { fetchSubmission } from "../api/views.ts";
import { isRankDue } from "../boards/rows/ranks.ts";
import { useFollow } from "../boards/use_follow.ts";
import { usePlaces } from "../boards/use_places.ts";
import { checkToken, explainProblem, isReceipt } from "../ui/lib/checks.ts";
import { forgetResult } from "../ui/forms/draft.ts";
import { NAMELESS } from "../ui/lib/guests.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { keptKey, playerOf, receiptOf, useToken } from "../ui/hooks/storage.ts";

/** So often the page asks the API at most for each move of the board. */
const STATUS_SECONDS = 4;
/** So long after the scores the page asks for the rank, which comes once the board shows the result. */
const RANK_MILLISECONDS = 60_000;

/** Return the receipt, token or player key that opens a submission, and what takes another or drops a wrong one. */
function useCredential(submission: string) {
  const [receipt, setReceipt] = useState(receiptOf(submission).find);
  const [token, keepToken] = useToken();
  const [error, setError] = useState<string | null>(null);
  const [key] = useState(keptKey.find);
  const open = (text: string): void => {
    setError(null);
    if (isReceipt(text)) receiptOf(submission).keep(text);
    else keepToken(text);
    setReceipt(isReceipt(text) ? text : null);
  };
  const drop = (why: string): void => {
    setError(why);
    setReceipt(null);
    keepToken("");
  };
  const credential = receipt ?? (checkToken(token) === null ? token : key);
  return { receipt, credential, isKey: credential === key, key, error, open, drop };
}

/** Return a submission as it is polled, with the head of its board, its player's places, and what opens more of it. */
export function useSubmission(benchmark: string, submission: string, version: string | null) {
  const opened = useCredential(submission);
  const { receipt, credential } = opened;
  const since = useRef(Date.now());
  const scoredAt = useRef<number | null>(null);
  const awaitsRank = (latest: SubmissionView): boolean => {
    if (version !== null || !isRankDue(latest, since.current)) return false;
    scoredAt.current ??= Date.now();
    return Date.now() - scoredAt.current < RANK_MILLISECONDS;
  };
  const { value, phase, retry } = usePolled(
    `${submission} ${version} ${credential}`,
    async (signal) => {
      const fetched = await fetchSubmission(benchmark, submission, version, credential, signal);
      if (fetched.kind !== "rejected" || credential === null) return fetched;
      // The page shows what everybody may see, and why it shows no more.
      opened.drop(explainProblem(fetched.problem).join(" "));
      return fetchSubmission(benchmark, submission, version, null, signal);
    },
    (latest, unchanged) => (latest.status === "done" && !awaitsRank(latest) ? null : nextPause(unchanged)),
  );
  // While it waits, the page asks the API less and less, but watches the head, which costs a third and moves when the
  // result is there.
  const isWaiting = value?.status !== "done";
  const board = usePolled(
    benchmark,
    (signal) => fetchHead(benchmark, signal),
    () => (isWaiting ? OWN_SECONDS : null),
  );
  const head = board.value;
  useFollow(isWaiting && head ? `${head.version} ${head.sequence}` : null, retry, STATUS_SECONDS);
  useEffect(() => {
    // The head was fetched before the board knew the result.
    if (value?.rank != null && scoredAt.current !== null) board.retry();
  }, [value?.rank]);
  useOwnResult(benchmark, value, receipt);
  const isShown = value?.outcome === "scored" && value.player !== NAMELESS && value.rank != null;
  const key = isShown && head ? `${submission} ${head.sequence} ${value.rank}` : null;
  const places = usePlaces(benchmark, head, value?.player, key);
  // The first draw has the places, which would move what stands below them; a page that waits is drawn at once.
  const isComplete = !isShown || (board.phase !== "loading" && !places.isLoading);
  const isDrawn = useRef(false);
  isDrawn.current ||= value !== null && isComplete;
  const follows: "soon" | "later" | null =
    value && isRankDue(value, since.current) ? (awaitsRank(value) ? "soon" : "later") : null;
  const seen = isDrawn.current ? value : null;
  return { ...opened, value: seen, phase, retry, head, places: places.value, follows };
}

/** Remember what this browser knows of a submission that it made itself. */
function useOwnResult(benchmark: string, value: SubmissionView | null, receipt: string | null): void {
  useEffect(() => {
    // What failed, or has no name, is submitted again; this one need not be.
    if (receipt !== null && value?.outcome === "scored" && value.player !== NAMELESS) forgetResult(benchmark);
  }, [value?.outcome]);
  useEffect(() => {
    if (value !== null && receipt !== null) playerOf(benchmark).keep(value.player);
  }, [value?.player, receipt]);
}
