/** Takes a receipt from whoever kept it. */

import { useId, useState } from "preact/hooks";

import { receipts } from "../../hooks/storage.ts";
import { checkReceipt } from "../../lib/token.ts";

interface Props {
  readonly submission: string;
  /** Whether the last receipt opened nothing. */
  readonly wrong: boolean;
  readonly onReceipt: (receipt: string) => void;
}

export function ReceiptForm({ submission, wrong, onReceipt }: Props) {
  const id = useId();
  const [fault, setFault] = useState<string | null>(null);
  const take = (event: Event): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const receipt = String(new FormData(form).get("receipt") ?? "").trim();
    const found = checkReceipt(receipt);
    setFault(found);
    // What was pasted goes from the page at once: it may be a token.
    form.reset();
    if (found !== null) return;
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
      <p role="alert">{fault ?? (wrong && "That receipt is not of this submission.")}</p>
    </form>
  );
}
