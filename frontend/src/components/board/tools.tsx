/** What the toolbar of a board has besides search and filter: columns, ranks and downloads. */

import { useEffect, useRef } from "preact/hooks";

import type { Metric } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { toggleColumn } from "../../lib/board/columns.ts";
import type { View } from "../../lib/board/view.ts";
import { DOWNLOAD } from "../../lib/download.ts";
import { Button } from "../controls.tsx";
import { Icon } from "../icons.tsx";

const COLUMNS = "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10";

export interface ToolsProps {
  readonly view: View;
  readonly metrics: readonly Metric[];
  /** What the parts are whose values the rows have: `levels`; null if there are none. */
  readonly parts: string | null;
  readonly jsonUrl: string;
  /** The page for a projector. */
  readonly wallUrl: string;
  /** Whether there are rows to download. */
  readonly hasRows: boolean;
  readonly onView: (view: View, step: "push" | "replace") => void;
  /** Moves to a rank; null where there is nothing to move to. */
  readonly onRank: ((rank: number) => void) | null;
  readonly onCsv: () => void;
  /** Whether rows can be picked for a comparison. */
  readonly compares: boolean;
  readonly onCompare: () => void;
}

export const Tools = (props: ToolsProps) => {
  const { view, metrics, parts, jsonUrl, wallUrl, hasRows, onView, onRank, onCsv } = props;
  return (
    <>
      {hasRows && (
        <button type="button" class="button small" aria-pressed={props.compares} onClick={props.onCompare}>
          {say("Compare")}
        </button>
      )}
      {metrics.length > 1 && <ColumnMenu view={view} metrics={metrics} onView={onView} />}
      {parts !== null && (
        <button
          type="button"
          class="button small"
          aria-pressed={view.parts}
          onClick={() => onView({ ...view, parts: !view.parts }, "push")}
        >
          {say("Show {parts}", { parts })}
        </button>
      )}
      {onRank && <RankField onRank={onRank} />}
      <Button small onClick={onCsv} disabled={!hasRows}>
        <Icon shape={DOWNLOAD} />
        CSV
      </Button>
      <Button small href={jsonUrl}>
        JSON
      </Button>
      <Button small href={wallUrl}>
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
    <button type="submit" class="button small">
      {say("Go")}
    </button>
  </form>
);

function ColumnMenu({ view, metrics, onView }: Pick<ToolsProps, "view" | "metrics" | "onView">) {
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
