/** The charts of a board. */

import { MAIN } from "../../api/view.ts";
import { say } from "../../languages/say.ts";
import { Section } from "../../ui/facts.tsx";
import { lazy, NEVER } from "../../ui/lazy.tsx";
import type { ShownBoard } from "../requests/boards.ts";
import type { Row } from "../rows/row.ts";
import { Compare } from "./compare.tsx";

/** It asks for ten players, so it is loaded where a visitor comes to it. */
const RanksOverTime = lazy(() => import("./ranks_over_time.tsx").then((module) => module.RanksOverTime), "bump", NEVER);

interface Props {
  readonly shown: ShownBoard;
  readonly picked: readonly Row[];
}

export function Charts({ shown: { head, rows }, picked }: Props) {
  const primary = head.metrics.find((metric) => metric.primary) ?? head.metrics[0];
  if (!primary) return null;
  return (
    <Section id="charts" title={say("Charts")}>
      <div class="charts">
        {head.board === MAIN && head.ranking.rows === "player" && head.total > 1 && (
          <RanksOverTime head={head} rows={rows} metric={primary} />
        )}
        {picked.length > 0 && <Compare players={picked} metrics={head.metrics} />}
      </div>
    </Section>
  );
}
