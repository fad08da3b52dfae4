/** How far something is, as a bar; the numbers stand beside it as text. */

interface Props {
  readonly label: string;
  /** How it stands, for who does not see: `12 of 40`. */
  readonly text: string;
  readonly total: number;
  readonly good: number;
  readonly bad?: number;
}

export const Meter = ({ label, text, total, good, bad = 0 }: Props) => (
  <div
    class="meter"
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={total}
    aria-valuenow={good + bad}
    aria-valuetext={text}
  >
    <i style={{ flexGrow: good }} />
    <i class="bad" style={{ flexGrow: bad }} />
    <i class="rest" style={{ flexGrow: Math.max(0, total - good - bad) }} />
  </div>
);
