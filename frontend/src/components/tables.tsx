/** Parts of tables. */

import type { ComponentChildren, RefObject } from "preact";

import type { Metric } from "../api/generated/types.ts";
import { Caret } from "./icons.tsx";

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
  readonly metrics?: readonly Pick<Metric, "id" | "label" | "direction">[];
  /** The metric whose best values come first. */
  readonly sort?: string | null;
  /** Called with a metric to sort by it, with null for the first order again; without it the columns cannot be sorted. */
  readonly onSort?: (metric: string | null) => void;
}

export const TableHead = ({ labels, metrics = [], sort = null, onSort }: TableHeadProps) => (
  <thead>
    <tr>
      {labels.map((label, index) => (
        <th key={index} scope="col">
          {label}
        </th>
      ))}
      {metrics.map((metric) => (
        <th
          key={metric.id}
          scope="col"
          class="number"
          aria-sort={sort !== metric.id ? undefined : metric.direction === "higher" ? "descending" : "ascending"}
        >
          {onSort ? (
            <button type="button" onClick={() => onSort(sort === metric.id ? null : metric.id)}>
              <span class="column">
                {metric.label}
                {sort === metric.id && <Caret direction={metric.direction === "higher" ? "down" : "up"} />}
              </span>
            </button>
          ) : (
            metric.label
          )}
        </th>
      ))}
    </tr>
  </thead>
);
