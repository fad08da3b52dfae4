/** Beside a board: the visitor's place, how it is scored, the best so far, and what came last. */

import type { ComponentChildren } from "preact";

import { extentOf, scaleLinear, stepPath, type Point } from "../../charts/shapes.ts";
import { say } from "../../languages/say.ts";
import { useNow } from "../../ui/hooks/browser.ts";
import { formatAgo, formatWithUnit } from "../../ui/lib/format.ts";
import { ShortName } from "../../ui/player_name.tsx";
import { playerPath } from "../../ui/lib/route.ts";
import { ColumnHelp } from "./about.tsx";
import { describeRanking, formatPlayer, latestRows, namePlayer } from "../rows/ranks.ts";
import type { ShownBoard } from "../requests/boards.ts";
import type { Shape } from "../rows/shape.ts";

const LATEST = 4;
const WIDTH = 260;
const HEIGHT = 56;
const INSET = 4;

interface Props {
  readonly shown: ShownBoard;
  readonly shape: Shape | null;
  /** Whether the board is too long to be loaded in another order. */
  readonly isRemote: boolean;
}

export const Side = ({ shown, shape, isRemote }: Props) => (
  <div class="side">
    <Card title={say("How it is scored")}>
      <p class="rule">
        {describeRanking(shown.head)}
        {isRemote &&
          ` ${say("A board of this size is shown in this order only; its CSV has all rows for another one.")}`}
      </p>
      <ColumnHelp metrics={shown.head.metrics} />
      {shown.head.description !== "" && (
        <p>
          <a href="#about-title">{say("About this benchmark")}</a>
        </p>
      )}
    </Card>
    {shape && <BestSoFar shown={shown} shape={shape} />}
    {shown.head.total > 1 && <Latest shown={shown} shape={shape} />}
  </div>
);

const Card = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="side-card">
    <h2>{title}</h2>
    {children}
  </section>
);

/** How the best value rose over time. */
function BestSoFar({
  shown: { head, rows },
  shape: { metric },
}: {
  readonly shown: ShownBoard;
  readonly shape: Shape;
}) {
  const now = useNow();
  const steps = head.improvements.steps;
  const last = steps.at(-1);
  const first = steps[0];
  if (!first || !last) return null;
  const [at, value, player] = last;
  const { name, verified } = namePlayer(rows, player);
  const [from, to] = extentOf(steps.map(([, score]) => score));
  const end = Math.max(Date.parse(head.generated_at), at + 1);
  const x = scaleLinear([first[0], end], [INSET, WIDTH - INSET]);
  const y = scaleLinear([from, to], [HEIGHT - INSET, INSET]);
  return (
    <Card title={say("Best so far")}>
      {to > from && (
        <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
          <path
            class="line"
            d={stepPath(
              steps.map(([when, score]): Point => [x(when), y(score)]),
              WIDTH - INSET,
            )}
          />
        </svg>
      )}
      <p>
        {say("{value} by {player}, {time}", {
          value: formatWithUnit(value, metric),
          player: formatPlayer(name, verified),
          time: formatAgo(at, Math.max(now, at)),
        })}
      </p>
    </Card>
  );
}

/** The rows whose results came last. */
function Latest({ shown: { head, rows }, shape }: Pick<Props, "shown" | "shape">) {
  const now = useNow();
  return (
    <Card title={say("Latest")}>
      <ul>
        {latestRows(rows, LATEST).map((row) => (
          <li key={row.id}>
            <a href={playerPath(head.id, row.player, head.board)}>
              <ShortName {...row} />
            </a>{" "}
            <span class="fine">
              {shape && `${formatWithUnit(row.scores[shape.metric.id], shape.metric)} · `}
              {formatAgo(row.at, Math.max(now, row.at))}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
