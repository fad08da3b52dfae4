/** Search, boards, filter and all else that is done with a board, in one line. */

import type { ComponentChild } from "preact";

import { say } from "../../languages/say.ts";
import { SearchField } from "../../ui/controls.tsx";
import { lazy } from "../../ui/lazy.tsx";
import type { ToolsProps } from "./tools.tsx";

const Tools = lazy(() => import("../extras.ts").then((module) => module.Tools), "tools-space", 0);

interface Props extends ToolsProps {
  /** What leads to the other boards of the benchmark. */
  readonly tabs: ComponentChild;
}

export const Toolbar = (props: Props) => {
  const { view, count: shown, waiting, onView } = props;
  const { total: count, ranking } = props.shown.head;
  // A row is an entry of a player, or a player.
  const isLabelled = ranking.rows === "label";
  return (
    <div class="toolbar">
      <SearchField
        label={say("Search for a player")}
        placeholder={say("Find a player")}
        value={view.query}
        onInput={(query) => onView({ ...view, query, from: 1 }, "replace")}
      />
      {props.tabs}
      <Tools {...props} />
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
