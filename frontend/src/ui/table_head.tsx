/** Tables, their columns of numbers, and the cells of scores. */

import type { ComponentChildren } from "preact";

import type { Metric } from "../api/generated/types.ts";
import { formatScore } from "./lib/format.ts";
import { ScrollArea } from "./tables.tsx";

interface Column {
  readonly label: ComponentChildren;
  readonly class?: string;
}

interface TableProps {
  readonly label: string;
  /** The class of the area that scrolls. */
  readonly class?: string;
  /** The class of the table. */
  readonly kind?: string;
  /** The columns, each by its header; empty for a table without headers. */
  readonly columns: readonly (string | Column)[];
  /** The cells of each row. */
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** The index of the cell that names its row; -1 if none does. */
  readonly name?: number;
  /** What tells rows apart that come and go, each with what was entered in it. */
  readonly keys?: readonly (string | number)[];
}

/** A table that scrolls sideways where it is too wide. */
export function Table({ label, class: area, kind, columns, rows, name = 0, keys }: TableProps) {
  const all = columns.map((column): Column => (typeof column === "string" ? { label: column } : column));
  const classes = all.map((column) => column.class);
  return (
    <ScrollArea {...(area ? { class: area } : {})} label={label}>
      <table class={kind}>
        {all.length > 0 && (
          <thead>
            <tr>
              {all.map((column, index) => (
                <th key={index} scope="col" class={classes[index]}>
                  {column.label}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((cells, row) => (
            <tr key={keys?.[row] ?? row}>
              {cells.map((cell, index) =>
                index === name ? (
                  <th key={index} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={index} class={classes[index]}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

/** Return a column of numbers. */
export const numbers = (label: ComponentChildren): Column => ({ label, class: "number" });

/** Return the cells of scores, one for each metric. */
export const formatScores = (
  metrics: readonly Pick<Metric, "id" | "decimals" | "unit">[],
  scores: Readonly<Record<string, number>> | null | undefined,
): readonly string[] => metrics.map((metric) => formatScore(scores?.[metric.id], metric));
