/** What rescores changed on a board: when, why, and who moved. */

import { useEffect, useRef } from "preact/hooks";

import { fetchSnapshot, folderOf } from "../../api/client.ts";
import type { CorrectedRow, Correction, Corrections, Head } from "../../api/generated/types.ts";
import { MAIN } from "../../api/view.ts";
import { mix, say } from "../../languages/say.ts";
import { Section } from "../../ui/facts.tsx";
import { usePolled } from "../../ui/hooks/polling.ts";
import { formatCount, formatScore, MISSING } from "../../ui/lib/format.ts";
import { playerPath } from "../../ui/lib/route.ts";
import { ShortName } from "../../ui/player_name.tsx";
import { numbers, Table } from "../../ui/table_head.tsx";
import { RelativeTime } from "../../ui/values.tsx";

/** The corrections of a benchmark, which has at least one. */
export function CorrectionList({ head }: { readonly head: Head }) {
  const section = useRef<HTMLElement>(null);
  const url = `${folderOf(head.id, MAIN)}corrections.json`;
  const { phase, value } = usePolled(`${head.id} ${head.corrected_at}`, (signal) =>
    fetchSnapshot<Corrections>(url, signal),
  );
  const corrections = value?.corrections ?? [];
  const isShown = corrections.length > 0;
  useEffect(() => {
    // The section did not exist when the browser looked for what the address names.
    if (isShown && location.hash === "#corrections") section.current?.scrollIntoView();
  }, [isShown]);
  if (!isShown) return phase === "loading" ? <div class="prose-space" /> : null;
  return (
    <Section id="corrections" title={say("Corrections")} area={section}>
      {head.board !== MAIN && <p class="fine">{say("Ranks are those of the benchmark’s main board.")}</p>}
      <ol class="corrections">
        {corrections.map((correction, index) => (
          <li key={correction.at}>
            <p class="fine">
              <RelativeTime at={correction.at} /> ·{" "}
              {mix("version {old} → {new}", {
                old: <code>{correction.replaced}</code>,
                new: <code>{correction.version}</code>,
              })}
            </p>
            {correction.final && <p>{say("Final: the ranks by public rows, and those by hidden ones.")}</p>}
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
          <>
            {row.rank_before === null ? MISSING : formatCount(row.rank_before)} → {formatCount(row.rank_after)}{" "}
            <Direction row={row} />
          </>,
          <>
            {formatScore(row.value_before, metric)} → <span class="after">{formatScore(row.value_after, metric)}</span>
          </>,
        ])}
      />
      {rest > 0 && <p class="fine">{say("And {count} more.", { count: rest })}</p>}
    </>
  );
}

/** Whether a row rose or fell, in a colour and in words. */
function Direction({ row }: { readonly row: CorrectedRow }) {
  const { rank_before: before, rank_after: after } = row;
  if (before === null) return <span class="delta new">{say("new")}</span>;
  if (before === after) return null;
  const rose = after < before;
  return (
    <span class={`delta ${rose ? "up" : "down"}`}>
      <span aria-hidden="true">{rose ? "↑" : "↓"}</span>
      <span class="unseen">{rose ? say("up") : say("down")}</span>
    </span>
  );
}
