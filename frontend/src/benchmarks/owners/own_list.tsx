/** All benchmarks that a token owns: what waits in each, and when its board changed. */

import { useEffect, useState } from "preact/hooks";

import type { BenchmarkCard, BenchmarkList, IndexEntry } from "../../api/generated/types.ts";
import { fetchIndex, get } from "../../api/views.ts";
import { say } from "../../languages/say.ts";
import { countListed, fetchSubmissions } from "../../submissions/requests.ts";
import { Awaited, Section, StatePill } from "../../ui/facts.tsx";
import { usePolled } from "../../ui/hooks/polling.ts";
import { explainProblem } from "../../ui/lib/checks.ts";
import { boardPath } from "../../ui/lib/route.ts";
import { TimeAgo } from "../../ui/values.tsx";
import { Publish } from "./publish.tsx";

interface Props {
  readonly token: string;
  /** Called with the reason if the token opens nothing. */
  readonly onRefused: (why: string) => void;
}

export function OwnList({ token, onRefused }: Props) {
  const { phase, value, retry } = usePolled("owned", async (signal) => {
    const [owned, index] = await Promise.all([
      get<BenchmarkList>("/api/benchmarks?owned=true&archived=true", token, signal),
      fetchIndex(signal),
    ]);
    if (owned.kind === "rejected") onRefused(explainProblem(owned.problem).join(" "));
    if (owned.kind !== "ok") return owned;
    const entries = index.kind === "ok" ? index.value.benchmarks : [];
    return { kind: "ok", value: { cards: owned.value.benchmarks, entries } };
  });
  const waiting = useWaiting(token, value?.cards);
  return (
    <>
      {value === null && <Awaited list={{ phase, retry }} />}
      {value?.cards.length === 0 && (
        <p class="banner">{say("This token owns no benchmark. Publish one below, or ask its owner for a link.")}</p>
      )}
      <ul class="plain-list" aria-label={say("Your benchmarks")}>
        {value?.cards.map((card) => (
          <li key={card.id}>
            <Card card={card} entry={value.entries.find(({ id }) => id === card.id)} waits={waiting.get(card.id)} />
          </li>
        ))}
      </ul>
      <Section id="publish" class="stack" title={say("Publish a new one")}>
        <Publish token={token} benchmark={null} onPublished={retry} />
      </Section>
    </>
  );
}

/** How many are in review, and without a score, on the first page of each list: `50+` if there are more. */
interface Waits {
  readonly reviews: string;
  readonly errors: string;
}

/** Fetch what waits in each benchmark, one after another: the site accepts only so many requests a second. */
function useWaiting(token: string, cards: readonly BenchmarkCard[] | undefined): ReadonlyMap<string, Waits> {
  const [waiting, setWaiting] = useState<ReadonlyMap<string, Waits>>(new Map());
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      for (const { id } of cards ?? []) {
        const reviews = await fetchSubmissions(id, { in_review: "true" }, token, controller.signal);
        const errors = await fetchSubmissions(id, { outcome: "failed" }, token, controller.signal);
        if (reviews.kind !== "ok" || errors.kind !== "ok") continue;
        const waits = { reviews: countListed(reviews.value), errors: countListed(errors.value) };
        setWaiting((before) => new Map([...before, [id, waits]]));
      }
    };
    load().catch(() => undefined);
    return () => controller.abort();
  }, [cards]);
  return waiting;
}

interface CardProps {
  readonly card: BenchmarkCard;
  /** What the start page says of it; nothing if it is archived. */
  readonly entry: IndexEntry | undefined;
  readonly waits: Waits | undefined;
}

const Card = ({ card, entry, waits }: CardProps) => (
  <>
    <span>
      <a href={boardPath(`${card.id}/owners`)}>
        <bdi>{card.title}</bdi>
      </a>{" "}
      {card.archived ? (
        <span class="pill plain">{say("archived")}</span>
      ) : (
        <StatePill state={card.state} opens={card.opens} closes={card.closes} />
      )}
      {entry && (
        <span class="fine">
          {" "}
          {say("{count} submission|{count} submissions", { count: entry.submissions })} ·{" "}
          <TimeAgo at={entry.updated_at} />
        </span>
      )}
    </span>
    <span class="labels">
      {waits === undefined && <span class="fine">…</span>}
      {waits && waits.reviews !== "0" && (
        <span class="pill good">{say("{count} in review", { count: waits.reviews })}</span>
      )}
      {waits && waits.errors !== "0" && (
        <span class="pill">{say("{count} without a score", { count: waits.errors })}</span>
      )}
      {waits?.reviews === "0" && waits.errors === "0" && <span class="fine">{say("nothing waits")}</span>}
    </span>
  </>
);
