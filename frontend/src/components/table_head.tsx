/** The header of a table: columns of texts, then those of scores, some of which can be sorted. */

import type { ComponentChildren } from "preact";

import type { Metric } from "../api/generated/types.ts";
import { Caret } from "./icons.tsx";

interface Props {
  readonly labels: readonly ComponentChildren[];
  /** Columns of scores, after the others. */
  readonly metrics?: readonly Pick<Metric, "id" | "label" | "direction">[];
  /** The metric whose best values come first, or the `textSort` of a column; null: the first order. */
  readonly sort?: string | null;
  /** Called with what to sort by, with null for the first order again; without it the columns cannot be sorted. */
  readonly onSort?: (sort: string | null) => void;
  /** The labels of texts that can be sorted, too. */
  readonly sortable?: readonly string[];
}

/** Return what a table is sorted by whose texts are in order. No metric has such an id. */
export const textSort = (label: string): string => `#${label}`;

export const TableHead = ({ labels, metrics = [], sort = null, onSort, sortable = [] }: Props) => {
  const header = (label: ComponentChildren, id: string | null, isUp: boolean, name?: string) => (
    <th scope="col" class={name} aria-sort={id === null || sort !== id ? undefined : isUp ? "ascending" : "descending"}>
      {onSort && id !== null ? (
        <button type="button" onClick={() => onSort(sort === id ? null : id)}>
          <span class="column">
            {label}
            {sort === id && <Caret direction={isUp ? "up" : "down"} />}
          </span>
        </button>
      ) : (
        label
      )}
    </th>
  );
  return (
    <thead>
      <tr>
        {labels.map((label) => {
          const isSortable = typeof label === "string" && sortable.includes(label);
          return header(label, isSortable ? textSort(label) : null, true);
        })}
        {metrics.map(({ id, label, direction }) => header(label, id, direction === "lower", "number"))}
      </tr>
    </thead>
  );
};
