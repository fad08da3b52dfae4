/** The submissions of a player: which count, what they scored, and their files' names for those who may see them. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { Head, HistoryEntry, PlayerView } from "../../api/generated/types.ts";
import { fetchPlayer } from "../../api/views.ts";
import { say } from "../../languages/say.ts";
import { fold } from "../../lib/board/fold.ts";
import { MEANINGS } from "../../lib/outcome.ts";
import { batchPath, submissionPath } from "../../lib/board/paths.ts";
import { Button, SearchField } from "../controls.tsx";
import { OutcomeLabel } from "../facts.tsx";
import { ScoreCells } from "../scores.tsx";
import { TableHead, textSort } from "../table_head.tsx";
import { ScrollArea } from "../tables.tsx";
import { TimeAgo } from "../values.tsx";
import { useNow } from "../../hooks/browser.ts";

type TextColumn = readonly [label: string, read: (entry: HistoryEntry) => string];

const FILE = say("File");
const TEXTS: readonly TextColumn[] = [
  [say("Label"), ({ label }) => label ?? ""],
  [FILE, ({ entry }) => entry ?? ""],
  [say("Part"), ({ part }) => part ?? ""],
];
const order = new Intl.Collator("en", { numeric: true }).compare;

interface Props {
  readonly head: Head;
  /** The titles of parts that have boards. */
  readonly titles: ReadonlyMap<string, string>;
  /** The board from which the visitor came. */
  readonly at: string;
  readonly view: PlayerView;
  /** The visitor's token, if there is one. */
  readonly token: string | null;
  /** Takes a token. */
  readonly form: ComponentChildren;
}

/** The submissions. Their newest page is polled; older pages, and the best ones by a metric, are fetched on demand. */
export function History({ head, titles, at, view, token, form }: Props) {
  const [older, setOlder] = useState<readonly HistoryEntry[]>([]);
  const [cursor, setCursor] = useState<string | null | undefined>(undefined);
  const [loading, setLoading] = useState(false);
  const [sort, setSort] = useState<string | null>(null);
  const [query, setQuery] = useState("");
  const best = useBest(head.id, view, sort, token);
  const next = cursor === undefined ? view.next : cursor;
  const newest = new Set(view.history.map((entry) => entry.submission));
  const entries = [...view.history, ...older.filter((entry) => !newest.has(entry.submission))];
  const columns = TEXTS.filter(([, read]) => entries.some((entry) => read(entry) !== ""));
  const sorted = columns.find(([label]) => textSort(label) === sort)?.[1];
  const listed = best ?? (sorted ? entries.toSorted((a, b) => order(sorted(a), sorted(b))) : entries);
  const wanted = fold(query.trim());
  const shown =
    wanted === "" ? listed : listed.filter((entry) => columns.some(([, read]) => fold(read(entry)).includes(wanted)));
  const counted = say("{count} submission|{count} submissions", { count: listed.length });
  const now = useNow();
  const loadMore = async (): Promise<void> => {
    setLoading(true);
    const fetched = await fetchPlayer(head.id, view.player, { cursor: next, token }, new AbortController().signal);
    setLoading(false);
    if (fetched.kind !== "ok") return;
    setOlder([...older, ...fetched.value.history]);
    setCursor(fetched.value.next);
  };
  const named = entries.some((entry) => entry.entry != null);
  const metric = head.metrics.find(({ id }) => id === sort);
  return (
    <section aria-labelledby="history-title">
      <h2 id="history-title">{say("Submissions")}</h2>
      <p class="fine" role="status">
        {wanted === "" ? counted : say("{shown} of {all}", { shown: shown.length, all: counted })}
        {" · "}
        {best && metric
          ? say("the best by {metric} first", { metric: metric.label })
          : sorted
            ? say("in order of their names")
            : say("newest first")}
      </p>
      {columns.length > 0 && (
        <div class="toolbar">
          <SearchField
            label={say("Search the history")}
            placeholder={say("Label, file or part")}
            value={query}
            onInput={setQuery}
          />
        </div>
      )}
      <ScrollArea class="board" label={say("History")}>
        <table>
          <TableHead
            labels={[say("When"), say("Outcome"), ...columns.map(([label]) => label)]}
            sortable={columns.map(([label]) => label)}
            metrics={head.metrics}
            sort={sort}
            onSort={setSort}
          />
          <tbody>
            {shown.map((entry) => (
              <tr key={entry.submission}>
                <td class="when">
                  <a href={submissionPath(head.id, entry.submission, at)}>
                    <TimeAgo at={entry.submitted_at} now={now} />
                  </a>
                </td>
                <td>
                  {entry.counts ? (
                    <span class="pill good">{say("Counts")}</span>
                  ) : (
                    (entry.outcome !== "scored" || entry.counts == null) && (
                      <OutcomeLabel {...MEANINGS[entry.outcome]} />
                    )
                  )}{" "}
                  {entry.withdrawn && (
                    <span class="pill" title={entry.withdrawn.reason}>
                      {say("Withdrawn")}
                    </span>
                  )}
                </td>
                {columns.map(([label, read]) => (
                  <td key={label}>
                    <bdi>
                      {label === FILE && entry.batch != null ? (
                        <a href={batchPath(head.id, entry.batch, at)}>{read(entry)}</a>
                      ) : (
                        (titles.get(read(entry)) ?? read(entry))
                      )}
                    </bdi>
                  </td>
                ))}
                <ScoreCells metrics={head.metrics} scores={entry.scores} />
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {next !== null && best === null && (
        <Button onClick={loadMore} disabled={loading}>
          {loading ? say("Loading …") : say("Show older submissions")}
        </Button>
      )}
      {view.verified && !named && form}
    </section>
  );
}

/** Return the best submissions of a player by a metric; null until they are there, or if there is no such metric. */
function useBest(benchmark: string, view: PlayerView, sort: string | null, token: string | null) {
  const [best, setBest] = useState<{ readonly sort: string; readonly entries: readonly HistoryEntry[] } | null>(null);
  useEffect(() => {
    if (sort === null || sort.startsWith("#")) return;
    const controller = new AbortController();
    fetchPlayer(benchmark, view.player, { sort, token }, controller.signal).then(
      (fetched) => fetched.kind === "ok" && setBest({ sort, entries: fetched.value.history }),
      () => undefined,
    );
    return () => controller.abort();
  }, [view, sort, token]);
  return best?.sort === sort ? best.entries : null;
}
