/** Takes a receipt from whoever kept it. */

import { useId } from "preact/hooks";

import { receipts } from "../live/receipts.ts";

interface Props {
  readonly submission: string;
  /** Whether the last receipt opened nothing. */
  readonly wrong: boolean;
  readonly onReceipt: (receipt: string) => void;
}

export function ReceiptForm({ submission, wrong, onReceipt }: Props) {
  const id = useId();
  const take = (event: Event): void => {
    event.preventDefault();
    const receipt = String(new FormData(event.currentTarget as HTMLFormElement).get("receipt") ?? "").trim();
    if (!/^[\x21-\x7e]+$/.test(receipt)) return;
    receipts.keep(submission, receipt);
    onReceipt(receipt);
  };
  return (
    <form class="receipt-form" onSubmit={take}>
      <label for={id}>The receipt of this submission opens its details and messages.</label>
      <div>
        <input id={id} name="receipt" type="text" autocomplete="off" placeholder="receipt_…" required />
        <button type="submit" class="button">
          Open
        </button>
      </div>
      <p role="alert">{wrong && "That receipt is not of this submission."}</p>
    </form>
  );
}
