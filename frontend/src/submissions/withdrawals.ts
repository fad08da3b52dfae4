/** Withdraws a submission or a batch, and undoes it. */

import type { Fetched } from "../api/client.ts";
import type { BatchWithdrawalView } from "../api/generated/types.ts";
import { post } from "../api/views.ts";

export interface WithdrawalRequest {
  /** The address of the submission or batch in the API. */
  readonly url: string;
  /** A token or a receipt. */
  readonly credential: string;
  /** The public reason; null undoes the withdrawal. */
  readonly reason: string | null;
}

/**
 * Send requests until all of a batch has changed, one for a submission. A repeat goes on where another has stopped.
 *
 * @param onCount Called with the number of submissions that have changed so far.
 */
export async function changeWithdrawal(
  { url, credential, reason }: WithdrawalRequest,
  onCount: (count: number) => void,
): Promise<Fetched<number>> {
  for (let count = 0; ; onCount(count)) {
    const wish = reason === null ? { undo: true } : { reason };
    const fetched = await post<Partial<BatchWithdrawalView>>(`${url}/withdrawal`, credential, wish);
    if (fetched.kind !== "ok") return fetched;
    const { changed = 1, left = 0 } = fetched.value;
    count += changed;
    if (left === 0 || changed === 0) return { kind: "ok", value: count };
  }
}
