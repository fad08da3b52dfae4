/** A form for the receipt of a submission. */

import { useId, useState } from "preact/hooks";

import { receipts } from "../../hooks/receipts.ts";
import { checkReceipt } from "../../lib/checks.ts";

interface Props {
  readonly submission: string;
  /** Whether the last receipt was of another submission. */
  readonly wrong: boolean;
  readonly onReceipt: (receipt: string) => void;
}

export function ReceiptForm({ submission, wrong, onReceipt }: Props) {
  const id = useId();
  const [error, setError] = useState<string | null>(null);
  const take = (event: Event): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const receipt = String(new FormData(form).get("receipt") ?? "").trim();
    const problem = checkReceipt(receipt);
    setError(problem);
    // Clear the field at once: the text may be a token.
    form.reset();
    if (problem !== null) return;
    receipts.keep(submission, receipt);
    onReceipt(receipt);
  };
  return (
    <form class="receipt-form" onSubmit={take}>
      <label for={id}>The receipt of this submission opens its details and messages.</label>
      <div>
        <input id={id} name="receipt" type="password" autocomplete="off" placeholder="receipt_…" required />
        <button type="submit" class="button">
          Open
        </button>
      </div>
      <p role="alert">{error ?? (wrong && "That receipt belongs to another submission.")}</p>
    </form>
  );
}
