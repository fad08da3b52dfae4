/** Search, filter, columns and downloads of a board. */

import { useEffect, useRef } from "preact/hooks";

import type { Metric } from "../../api/generated/types.ts";
import { formatCount, formatPlural } from "../../lib/format.ts";
import { toggleColumn, type KindFilter, type View } from "../../lib/board/view.ts";
import { Button, SearchField, Segments } from "../controls.tsx";
import { Icon } from "../icons.tsx";

interface Props {
  readonly view: View;
  readonly metrics: readonly Metric[];
  /** How many rows the view shows. */
  readonly count: number;
  readonly total: number;
  /** What a row is: `player`, `entry`. */
  readonly noun: string;
  readonly waiting: boolean;
  /** Whether the rows can be filtered by the kind of player. */
  readonly filters: boolean;
  readonly jsonUrl: string;
  readonly onView: (view: View, step: "push" | "replace") => void;
  /** Moves to a rank, or to the visitor's own row; null where there is nothing to move to. */
  readonly onRank: ((rank: number) => void) | null;
  readonly onMe: (() => void) | null;
  readonly onCsv: () => void;
}

const KINDS: readonly (readonly [KindFilter, string])[] = [
  ["all", "All"],
  ["human", "Humans"],
  ["model", "Models"],
];

export const Toolbar = (props: Props) => {
  const { view, metrics, count, total, noun, waiting, onView, onRank, onMe } = props;
  return (
    <div class="toolbar">
      <SearchField
        label="Search for a player"
        placeholder="Find a player"
        value={view.query}
        onInput={(query) => onView({ ...view, query, from: 1 }, "replace")}
      />
      {props.filters && (
        <Segments
          legend="Kind of player"
          hidesLegend
          options={KINDS}
          value={view.kind}
          onChange={(kind) => onView({ ...view, kind, from: 1 }, "push")}
        />
      )}
      {metrics.length > 1 && <ColumnMenu view={view} metrics={metrics} onView={onView} />}
      {onRank && <RankField onRank={onRank} />}
      {onMe && <Button small onClick={onMe}>My rank</Button>}
      <p class="count" role="status">
        {waiting ? "Loading all rows …" : `${formatCount(count)} of ${formatPlural(total, noun)}`}
      </p>
      <div class="downloads">
        <Button small onClick={props.onCsv} disabled={waiting || count === 0}>
          <Icon name="download" />
          CSV
        </Button>
        <Button small href={props.jsonUrl}>JSON</Button>
      </div>
    </div>
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
    <input name="rank" type="text" inputMode="numeric" placeholder="Rank" aria-label="Go to rank" maxLength={9} />
    <button type="submit" class="button small">
      Go
    </button>
  </form>
);

function ColumnMenu({ view, metrics, onView }: Pick<Props, "view" | "metrics" | "onView">) {
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
    document.addEventListener("click", close);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("click", close);
      document.removeEventListener("keydown", close);
    };
  }, []);
  const shown = view.columns ?? metrics.map((metric) => metric.id);
  return (
    <details class="menu" ref={menu}>
      <summary class="button small">
        <Icon name="columns" />
        Columns
      </summary>
      <fieldset>
        <legend class="unseen">Columns to show</legend>
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
