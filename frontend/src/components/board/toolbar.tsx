/** Search, filter, columns and downloads of a board. */

import { useEffect, useRef } from "preact/hooks";

import type { Metric } from "../../api/generated/types.ts";
import { formatCount, formatPlural } from "../../lib/format.ts";
import { toggleColumn, type KindFilter, type View } from "../../lib/view.ts";
import { Button, SearchField, Segments } from "../controls.tsx";
import { Icon } from "../icons.tsx";

interface Props {
  readonly view: View;
  readonly metrics: readonly Metric[];
  /** How many players the view shows. */
  readonly count: number;
  readonly total: number;
  readonly waiting: boolean;
  readonly jsonUrl: string;
  readonly onView: (view: View, step: "push" | "replace") => void;
  readonly onCsv: () => void;
}

const KINDS: readonly (readonly [KindFilter, string])[] = [
  ["all", "All"],
  ["human", "Humans"],
  ["model", "Models"],
];

export const Toolbar = ({ view, metrics, count, total, waiting, jsonUrl, onView, onCsv }: Props) => (
  <div class="toolbar">
    <SearchField
      label="Search for a player"
      placeholder="Find a player"
      value={view.query}
      onInput={(query) => onView({ ...view, query, page: 1 }, "replace")}
    />
    <Segments
      legend="Kind of player"
      hidesLegend
      options={KINDS}
      value={view.kind}
      onChange={(kind) => onView({ ...view, kind, page: 1 }, "push")}
    />
    {metrics.length > 1 && <ColumnMenu view={view} metrics={metrics} onView={onView} />}
    <p class="count" role="status">
      {waiting ? "Loading all rows …" : `${formatCount(count)} of ${formatPlural(total, "player")}`}
    </p>
    <div class="downloads">
      <Button small onClick={onCsv} disabled={waiting || count === 0}>
        <Icon name="download" />
        CSV
      </Button>
      <Button small href={jsonUrl}>JSON</Button>
    </div>
  </div>
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
