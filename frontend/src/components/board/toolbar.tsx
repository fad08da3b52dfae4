/** Search, filter, columns and downloads of a board. On a narrow screen a button opens all but the search. */

import { useState } from "preact/hooks";

import { formatCount, formatPlural } from "../../lib/format.ts";
import type { KindFilter } from "../../lib/board/view.ts";
import { Button, SearchField, Segments } from "../controls.tsx";
import { lazy } from "../lazy.tsx";
import type { ToolsProps } from "./tools.tsx";

const Tools = lazy(() => import("./tools.tsx").then((module) => module.Tools), "tools-space");

interface Props extends Omit<ToolsProps, "hasRows"> {
  /** How many rows the view shows. */
  readonly count: number;
  readonly total: number;
  /** What a row is: `player`, `entry`. */
  readonly noun: string;
  readonly waiting: boolean;
  /** Whether the rows can be filtered by the kind of player. */
  readonly filters: boolean;
}

const KINDS: readonly (readonly [KindFilter, string])[] = [
  ["all", "All"],
  ["human", "Humans"],
  ["model", "Models"],
];

export const Toolbar = (props: Props) => {
  const { view, count, total, noun, waiting, onView } = props;
  const [isOpen, setIsOpen] = useState(false);
  const all = formatPlural(total, noun);
  return (
    <div class="toolbar">
      <SearchField
        label="Search for a player"
        placeholder="Find a player"
        value={view.query}
        onInput={(query) => onView({ ...view, query, from: 1 }, "replace")}
      />
      <Button class="more" expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Options
      </Button>
      <div class={isOpen ? "tools open" : "tools"}>
        {props.filters && (
          <Segments
            legend="Kind of player"
            hidesLegend
            options={KINDS}
            value={view.kind}
            onChange={(kind) => onView({ ...view, kind, from: 1 }, "push")}
          />
        )}
        <Tools {...props} hasRows={!waiting && count > 0} />
      </div>
      <p class="count" role="status">
        {waiting ? "Loading all rows …" : count === total ? all : `${formatCount(count)} of ${all}`}
      </p>
    </div>
  );
};
