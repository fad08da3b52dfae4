/** What the toolbar of a board has besides search and filter: columns, ranks and downloads. */

import { useEffect, useRef } from "preact/hooks";

import type { Metric } from "../../api/generated/types.ts";
import type { View } from "../../api/view.ts";
import { say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { Icon } from "../../ui/icons.tsx";
import { DOWNLOAD } from "../../ui/lib/download.ts";
import { wallPath } from "../../ui/lib/route.ts";
import type { ShownBoard } from "../requests/boards.ts";
import { toggleColumn } from "../rows/columns.ts";
import { isLarge, isPlain } from "../rows/row.ts";

const COLUMNS = "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10";

/** Beyond so many rows there is a field to go to a rank. */
const MANY = 50;

/** What moves to a row of a board, and tells the visitor what came of that. */
export interface MoveProps {
  readonly shown: ShownBoard;
  readonly view: View;
  readonly onView: (view: View, step: "push" | "replace") => void;
  readonly onAnswer: (answer: string) => void;
}

export interface ToolsProps extends MoveProps {
  /** How many rows the view shows. */
  readonly count: number;
  readonly waiting: boolean;
  /** Whether rows can be picked for a comparison. */
  readonly compares: boolean;
  readonly onCompare: () => void;
}

/** Show the row at an index, of all rows in rank order. */
export function moveTo(index: number, { shown, view, onView }: MoveProps): void {
  const from = Math.min(index, shown.head.total - 1) + 1;
  onView({ ...view, query: "", kind: "all", sort: "rank", direction: "asc", from }, "push");
  const row = document.querySelector(`.board:not(.long) [aria-rowindex="${index + 2}"]`);
  (row ?? document.querySelector(".board.long"))?.scrollIntoView({ block: row ? "center" : "nearest" });
}

export const Tools = (props: ToolsProps) => {
  const { shown, view, count, compares, onView } = props;
  const { head } = shown;
  const hasRows = !props.waiting && count > 0;
  return (
    <>
      {hasRows && (
        <Button small aria-pressed={compares} onClick={props.onCompare}>
          {say("Compare")}
        </Button>
      )}
      {head.metrics.length > 1 && <ColumnMenu view={view} metrics={head.metrics} onView={onView} />}
      {head.parts && head.parts.names.length > 0 && (
        <Button small aria-pressed={view.parts} onClick={() => onView({ ...view, parts: !view.parts }, "push")}>
          {say("Show {parts}", { parts: head.parts.noun })}
        </Button>
      )}
      {isPlain(view) && count > MANY && <RankField onRank={(rank) => moveTo(rank - 1, props)} />}
      <Button small href={`/api/benchmarks/${head.id}/rows.csv?board=${head.board}${isLarge(head) ? "&from=1" : ""}`}>
        <Icon shape={DOWNLOAD} />
        CSV
      </Button>
      <Button small href={wallPath(head.id, head.board)}>
        {say("Wall")}
      </Button>
    </>
  );
};

const RankField = ({ onRank }: { readonly onRank: (rank: number) => void }) => (
  <form
    class="jump"
    onSubmit={(event) => {
      event.preventDefault();
      const rank = Number(new FormData(event.currentTarget).get("rank"));
      if (rank >= 1) onRank(Math.trunc(rank));
    }}
  >
    <input
      name="rank"
      type="text"
      inputMode="numeric"
      placeholder={say("Rank")}
      aria-label={say("Go to rank")}
      maxLength={9}
    />
    <Button submit small>
      {say("Go")}
    </Button>
  </form>
);

interface MenuProps extends Pick<ToolsProps, "view" | "onView"> {
  readonly metrics: readonly Metric[];
}

function ColumnMenu({ view, metrics, onView }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      const key = event instanceof KeyboardEvent ? event.key : null;
      const element = menu.current;
      if (!element?.open) return;
      if (key === "Escape") {
        element.open = false;
        element.querySelector("summary")?.focus();
      } else if (key === null && !element.contains(event.target as Node)) {
        element.open = false;
      }
    };
    const leaving = new AbortController();
    for (const name of ["click", "keydown"]) document.addEventListener(name, close, leaving);
    return () => leaving.abort();
  }, []);
  const primary = metrics.filter((metric) => metric.primary).map((metric) => metric.id);
  const shown = view.columns ?? metrics.map((metric) => metric.id);
  return (
    <details class="menu" ref={menu}>
      <summary class="button small">
        <Icon shape={COLUMNS} />
        {say("Columns")}
      </summary>
      <fieldset>
        <legend class="unseen">{say("Columns to show")}</legend>
        <div class="labels">
          <button type="button" class="link" onClick={() => onView({ ...view, columns: null }, "replace")}>
            {say("All")}
          </button>
          <button type="button" class="link" onClick={() => onView({ ...view, columns: primary }, "replace")}>
            {say("Only what decides the rank")}
          </button>
        </div>
        {metrics.map((metric) => (
          <label key={metric.id}>
            <input
              type="checkbox"
              checked={shown.includes(metric.id)}
              disabled={shown.length === 1 && shown[0] === metric.id}
              onChange={() => onView(toggleColumn(view, metric.id, metrics), "replace")}
            />
            {metric.label}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
