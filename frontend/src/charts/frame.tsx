/** What every chart has: a title, a sentence that says it all, the drawing, and its data as a table. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

import { useWidth } from "../hooks/width.ts";

export interface DataTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

interface Props {
  readonly title: string;
  readonly summary: string;
  readonly table: DataTable;
  readonly height: number;
  /** Draws at a width in pixels: text is never scaled. */
  readonly draw: (width: number) => ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Chart({ title, summary, table, height, draw, children }: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  const id = useId();
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <p id={id}>{summary}</p>
      </figcaption>
      <div class="drawing" ref={element} style={{ height: `${height}px` }}>
        {width > 0 && (
          <svg width={width} height={height} role="img" aria-label={title} aria-describedby={id}>
            {draw(width)}
          </svg>
        )}
      </div>
      {children}
      <details>
        <summary>Data of “{title}”</summary>
        <div class="scroller" tabIndex={0} role="group" aria-label={`Data of ${title}`}>
          <table class="data">
            <thead>
              <tr>
                {table.columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{typeof cell === "string" ? <bdi>{cell}</bdi> : cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
