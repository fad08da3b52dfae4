/** What the toolbar of a board has besides its search: filter, columns, ranks and downloads. */

import type { ComponentChildren } from "preact";

import { folderOf } from "../../api/client.ts";
import type { Metric } from "../../api/generated/types.ts";
import { formatView, toggleColumn, type KindFilter, type View } from "../../api/view.ts";
import { say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { addressOf } from "../../ui/hooks/navigation.ts";
import { wallPath } from "../../ui/lib/route.ts";
import type { ShownBoard } from "../requests/boards.ts";
import { Choices } from "../beside/board_tabs.tsx";
import { allMetrics, isLarge, isPlain } from "../rows/row.ts";

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
  /** Whether the rows can be filtered by the kind of player. */
  readonly filters: boolean;
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

const KINDS: readonly (readonly [KindFilter, string])[] = [
  ["all", say("All")],
  ["human", say("Humans")],
  ["model", say("Models")],
];

export const Tools = (props: ToolsProps) => {
  const { view, count, compares, onView } = props;
  const { head } = props.shown;
  return (
    <Menu>
      {props.filters && (
        <Choices
          label={say("Kind of player")}
          value={view.kind}
          options={KINDS}
          pathOf={(kind) =>
            addressOf().pathname + formatView({ ...view, kind: kind as KindFilter, from: 1 }, allMetrics(head))
          }
        />
      )}
      {isPlain(view) && count > MANY && <RankField onRank={(rank) => moveTo(rank - 1, props)} />}
      {!props.waiting && count > 0 && (
        <Button small aria-pressed={compares} onClick={props.onCompare}>
          {say("Compare")}
        </Button>
      )}
      {head.parts && head.parts.names.length > 0 && (
        <Button small aria-pressed={view.parts} onClick={() => onView({ ...view, parts: !view.parts }, "push")}>
          {say("Show {parts}", { parts: head.parts.noun })}
        </Button>
      )}
      <Button small href={`/api/benchmarks/${head.id}/rows.csv?board=${head.board}${isLarge(head) ? "&from=1" : ""}`}>
        CSV
      </Button>
      <Button small href={`${folderOf(head.id, head.board)}head.json`}>
        JSON
      </Button>
      <Button small href="#badge-title">
        {say("Embed")}
      </Button>
      <Button small href={wallPath(head.id, head.board)}>
        {say("Wall")}
      </Button>
      {head.metrics.length > 1 && <ColumnChoice view={view} metrics={head.metrics} onView={onView} />}
    </Menu>
  );
};

/** What opens, and closes by Escape or when the keyboard or a click goes elsewhere. */
const Menu = ({ children }: { readonly children: ComponentChildren }) => (
  <details
    class="menu"
    onFocusOut={({ currentTarget, relatedTarget }) => {
      if (!currentTarget.contains(relatedTarget as Node | null)) currentTarget.open = false;
    }}
    onKeyDown={({ currentTarget, key }) => {
      if (key !== "Escape") return;
      currentTarget.querySelector("summary")?.focus();
      currentTarget.open = false;
    }}
  >
    <summary class="button small" aria-label={say("Options")}>
      ⋯
    </summary>
    <div tabIndex={-1}>{children}</div>
  </details>
);

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

function ColumnChoice({ view, metrics, onView }: MenuProps) {
  const shown = view.columns ?? metrics.map((metric) => metric.id);
  return (
    <fieldset>
      <legend>{say("Columns to show")}</legend>
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
  );
}
