/** What rescores changed on a board: when, why, and who moved. */

import { useEffect } from "preact/hooks";

import { fetchSnapshot, folderOf, type Fetched } from "../../api/client.ts";
import type { Correction, Corrections, Head } from "../../api/generated/types.ts";
import { MAIN } from "../../api/view.ts";
import { mix, say } from "../../languages/say.ts";
import { Section } from "../../ui/facts.tsx";
import { usePolled } from "../../ui/hooks/polling.ts";
import { formatCount, formatScore, MISSING } from "../../ui/lib/format.ts";
import { playerPath } from "../../ui/lib/route.ts";
import { ShortName } from "../../ui/player_name.tsx";
import { numbers, Table } from "../../ui/table_head.tsx";
import { TimeAgo } from "../../ui/values.tsx";
import type { Move } from "../rows/row.ts";
import { Delta } from "../table/table.tsx";

/** Fetch what rescores changed on a benchmark's main board. */
export const fetchCorrections = ({ id }: Head, signal: AbortSignal): Promise<Fetched<Corrections>> =>
  fetchSnapshot(`${folderOf(id, MAIN)}corrections.json`, signal);

/** The corrections of a benchmark, which has at least one. */
export function CorrectionList({ head }: { readonly head: Head }) {
  const { phase, value } = usePolled(`${head.id} ${head.corrected_at}`, (signal) => fetchCorrections(head, signal));
  const corrections = value?.corrections ?? [];
  const isShown = corrections.length > 0;
  useEffect(() => {
    // The section did not exist when the browser looked for what the address names.
    if (isShown && location.hash === "#corrections") document.getElementById("corrections-title")?.scrollIntoView();
  }, [isShown]);
  if (!isShown) return phase === "loading" ? <div class="prose-space" /> : null;
  return (
    <Section id="corrections" title={say("Corrections")}>
      {head.board !== MAIN && <p class="fine">{say("Ranks are those of the benchmark’s main board.")}</p>}
      <ol class="corrections">
        {corrections.map((correction, index) => (
          <li key={correction.at}>
            <p class="fine">
              <TimeAgo at={correction.at} /> ·{" "}
              {mix("version {old} → {new}", {
                old: <code>{correction.replaced}</code>,
                new: <code>{correction.version}</code>,
              })}
            </p>
            {correction.final && <p>{say("Final: public rank → final rank")}</p>}
            {(correction.reason !== "" || !correction.final) && (
              <p>{correction.reason === "" ? say("The owner gave no reason.") : <bdi>{correction.reason}</bdi>}</p>
            )}
            <details open={index === 0}>
              <summary>{summarize(correction)}</summary>
              {correction.listed.length > 0 && <ChangedRows head={head} correction={correction} />}
            </details>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Return how much a correction changed: `2 of 9 scores or ranks changed, 1 rank among them`. */
function summarize({ rows, changed, moved, left }: Correction): string {
  const finding =
    changed === 0
      ? say("No score changed.")
      : say("{changed} of {total} rows changed, {moved} of them in rank.", { changed, total: rows, moved });
  return left === 0
    ? finding
    : `${finding} ${say("{count} row left the board.|{count} rows left the board.", { count: left })}`;
}

function ChangedRows({ head, correction }: { readonly head: Head; readonly correction: Correction }) {
  const { metric, listed, changed, rows, final } = correction;
  const rest = (final ? rows : changed) - listed.length;
  return (
    <>
      <Table
        label={say("Who moved")}
        kind="data"
        columns={[
          say("Player"),
          numbers(say("Rank")),
          numbers(metric.label + (metric.unit ? ` (${metric.unit})` : "")),
        ]}
        rows={listed.map((row) => [
          <>
            <a href={playerPath(head.id, row.player, head.board)}>
              <ShortName name={row.name} verified={row.verified} />
            </a>
            {row.label && <span class="fine"> {row.label}</span>}
          </>,
          <Delta move={moveFrom(row.rank_before, row.rank_after)} />,
          <>
            {formatScore(row.value_before, metric)} → {formatScore(row.value_after, metric)}
          </>,
        ])}
      />
      {rest > 0 && <p class="fine">{say("And {count} more.", { count: rest })}</p>}
    </>
  );
}

/** Return how a row has moved from a rank to another; null: it had none. */
export const moveFrom = (before: number | null, rank: number): Move => ({
  won: before === null ? 0 : before - rank,
  text: `${before === null ? MISSING : formatCount(before)} → ${formatCount(rank)}`,
  words: before === null ? say("new") : say("from rank {before} to {rank}", { before, rank }),
});
