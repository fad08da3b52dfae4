/** Parts of tables. */

import type { ComponentChildren, RefObject } from "preact";

import type { Metric } from "../api/generated/types.ts";

interface ScrollAreaProps {
  readonly label?: string;
  readonly labelledBy?: string;
  readonly class?: string;
  readonly area?: RefObject<HTMLDivElement | null>;
  readonly onScroll?: () => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly children: ComponentChildren;
}

/** A wide element that scrolls sideways, with the keyboard too. */
export const ScrollArea = ({ label, labelledBy, class: name = "", area, children, ...events }: ScrollAreaProps) => (
  <div
    class={`scroller ${name}`.trim()}
    tabIndex={0}
    role="group"
    aria-label={label}
    aria-labelledby={labelledBy}
    ref={area ?? null}
    {...events}
  >
    {children}
  </div>
);

interface TableHeadProps {
  readonly labels: readonly ComponentChildren[];
  /** Columns of scores, after the others. */
  readonly metrics?: readonly Pick<Metric, "id" | "label">[];
}

export const TableHead = ({ labels, metrics = [] }: TableHeadProps) => (
  <thead>
    <tr>
      {labels.map((label, index) => (
        <th key={index} scope="col">
          {label}
        </th>
      ))}
      {metrics.map((metric) => (
        <th key={metric.id} scope="col" class="number">
          {metric.label}
        </th>
      ))}
    </tr>
  </thead>
);
