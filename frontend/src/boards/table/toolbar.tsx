/** Search, filter, columns and downloads of a board. On a narrow screen a button opens all but the search. */

import { useState } from "preact/hooks";

import type { KindFilter } from "../../api/view.ts";
import { say } from "../../languages/say.ts";
import { Button, SearchField, Segments } from "../../ui/controls.tsx";
import { lazy } from "../../ui/lazy.tsx";
import type { ToolsProps } from "./tools.tsx";

const Tools = lazy(() => import("../extras.ts").then((module) => module.Tools), "tools-space");

interface Props extends ToolsProps {
  /** Whether the rows can be filtered by the kind of player. */
  readonly filters: boolean;
}

const KINDS: readonly (readonly [KindFilter, string])[] = [
  ["all", say("All")],
  ["human", say("Humans")],
  ["model", say("Models")],
];

export const Toolbar = (props: Props) => {
  const { view, count: shown, waiting, onView } = props;
  const { head } = props.shown;
  const count = head.total;
  // A row is an entry of a player, or a player.
  const isLabelled = head.ranking.rows === "label";
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div class="toolbar">
      <SearchField
        label={say("Search for a player")}
        placeholder={say("Find a player")}
        value={view.query}
        onInput={(query) => onView({ ...view, query, from: 1 }, "replace")}
      />
      <Button class="more" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {say("Options")}
      </Button>
      <div class={isOpen ? "tools open" : "tools"}>
        {props.filters && (
          <Segments
            legend={say("Kind of player")}
            hidesLegend
            options={KINDS}
            value={view.kind}
            onChange={(kind) => onView({ ...view, kind, from: 1 }, "push")}
          />
        )}
        <Tools {...props} />
      </div>
      <p class="count" role="status">
        {waiting
          ? say("Loading all rows …")
          : shown === count
            ? isLabelled
              ? say("{count} entry|{count} entries", { count })
              : say("{count} player|{count} players", { count })
            : isLabelled
              ? say("{shown} of {count} entry|{shown} of {count} entries", { shown, count })
              : say("{shown} of {count} player|{shown} of {count} players", { shown, count })}
      </p>
    </div>
  );
};
