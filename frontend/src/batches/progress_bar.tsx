/** A progress bar with successes and failures. */

interface ProgressProps {
  readonly label: string;
  /** The progress in words, for screen readers: `12 of 40`. */
  readonly text: string;
  readonly total: number;
  readonly good: number;
  readonly bad?: number;
}

export const ProgressBar = ({ label, text, total, good, bad = 0 }: ProgressProps) => (
  <div
    class="progress-bar"
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
