/** `/p/{player}`: a player's rank on every benchmark, and what is one's own to export or erase. */

import { useState } from "preact/hooks";

import { findServed, type Fetched } from "../api/client.ts";
import type { Erased, IndexEntry, OwnData, OwnView, PlayerBoards, SubmissionList } from "../api/generated/types.ts";
import { fetchIndex, get, post } from "../api/views.ts";
import { say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { CheckField, FormErrors, MAX_SECRET, TextField } from "../ui/forms/fields.tsx";
import { useRequest } from "../ui/forms/request.ts";
import { useTitle } from "../ui/hooks/browser.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { keptKey, keptName } from "../ui/hooks/storage.ts";
import { saveFile } from "../ui/lib/download.ts";
import { formatWithUnit } from "../ui/lib/format.ts";
import { playerPath } from "../ui/lib/route.ts";
import { Notice, Unavailable } from "../ui/states.tsx";
import { Portrait, Ranks } from "./portrait.tsx";

/** What the id of a guest begins with whose name a player key or a host owns. */
const OWNED = "guest--";

export function PlayerBoardsPage({ player }: { readonly player: string }) {
  const polled = usePolled(
    player,
    (signal) => get<PlayerBoards>(`/api/players/${player}`, null, signal),
    () => null,
    findServed<PlayerBoards>(`/api/players/${player}`),
  );
  const [erased, setErased] = useState(false);
  const index = usePolled("index", fetchIndex);
  const entries = new Map(index.value?.benchmarks.map((entry) => [entry.id, entry]));
  const view = polled.value;
  useTitle(view?.name ?? "");
  if (erased) {
    return (
      <Notice title={say("You are erased")}>
        <p>{say("Your rows leave the boards within seconds. This browser has forgotten your player key and name.")}</p>
        <Button href="/">{say("All boards")}</Button>
      </Notice>
    );
  }
  if (!view) return <Unavailable {...polled} missing={say("No board shows this player.")} />;
  return (
    <>
      <Portrait view={view} facts={listFacts(view)} />
      <section aria-label={say("Ranks")}>
        <Boards view={view} entries={entries} />
      </section>
      {(view.verified || player.startsWith(OWNED)) && (
        <section aria-label={say("Your data")}>
          <OwnDataForm player={player} isVerified={view.verified} onErased={() => setErased(true)} />
        </section>
      )}
    </>
  );
}

/** Return how many medals, boards and results a player has. */
function listFacts({ benchmarks }: PlayerBoards) {
  const [gold = 0, silver = 0, bronze = 0] = [1, 2, 3].map((at) => benchmarks.filter(({ rank }) => rank === at).length);
  const results = benchmarks.reduce((sum, { submissions }) => sum + submissions, 0);
  return [
    gold > 0 && say("{count} gold", { count: gold }),
    silver > 0 && say("{count} silver", { count: silver }),
    bronze > 0 && say("{count} bronze", { count: bronze }),
    say("{count} board|{count} boards", { count: benchmarks.length }),
    say("{count} submission|{count} submissions", { count: results }),
  ];
}

interface BoardsProps {
  readonly view: PlayerBoards;
  /** Benchmark → its entry of the index, which knows how values are written; empty until it is loaded. */
  readonly entries: ReadonlyMap<string, IndexEntry>;
}

const Boards = ({ view, entries }: BoardsProps) => (
  <Ranks
    ranks={view.benchmarks.map(({ benchmark, title, rank, total, scores }) => {
      const metric = entries.get(benchmark)?.primary;
      const value = metric && formatWithUnit(scores[metric.id], metric);
      const href = playerPath(benchmark, view.player);
      return { id: benchmark, benchmark, href, title, rank, total, hasMedal: rank <= 3, value };
    })}
  />
);

/** Fetch all that is kept of a player, by a token or a player key with its owner: every benchmark, and every page. */
async function fetchOwnData(secret: string, owner: object): Promise<Fetched<OwnData>> {
  const benchmarks: Record<string, OwnView> = {};
  for (let after: string | null = null; ;) {
    const query = new URLSearchParams({ ...owner, ...(after === null ? {} : { after }) });
    const page: Fetched<OwnData> = await get(`/api/me/export?${query}`, secret);
    if (page.kind !== "ok") return page;
    for (const [benchmark, view] of Object.entries(page.value.benchmarks)) {
      const history = [...view.history];
      for (let cursor = view.next; cursor !== null;) {
        const url = `/api/benchmarks/${benchmark}/submissions?${new URLSearchParams({ player: page.value.player, cursor })}`;
        const more: Fetched<SubmissionList> = await get(url, secret);
        if (more.kind !== "ok") return { kind: "failed" };
        history.push(...more.value.submissions);
        cursor = more.value.next;
      }
      benchmarks[benchmark] = { ...view, history, next: null };
    }
    after = page.value.next;
    if (after === null) return { kind: "ok", value: { ...page.value, benchmarks } };
  }
}

interface FormProps {
  readonly player: string;
  readonly isVerified: boolean;
  readonly onErased: () => void;
}

/** A form that exports or erases the player, with a token or with the player key of a name. */
function OwnDataForm({ player, isVerified, onErased }: FormProps) {
  const [secret, setSecret] = useState(() => (isVerified ? "" : (keptKey.find() ?? "")));
  const [name, setName] = useState(() => keptName.find() ?? "");
  const [isSure, setSure] = useState(false);
  const { errors, setErrors, busy, send } = useRequest();
  // Whose a player key is; a token says it itself.
  const named = { player: name.trim(), kind: player.endsWith("-model") ? "model" : "human" };
  const owner = secret.startsWith("player_") ? named : {};
  const save = async (): Promise<void> => {
    const data = await send(fetchOwnData(secret, owner));
    if (data && data.player !== player) return setErrors([say("This key or token is another player’s.")]);
    if (data) saveFile(`${player}.json`, "application/json", JSON.stringify(data, null, 2));
  };
  const erase = async (): Promise<void> => {
    const url = `/api/me/erasure?${new URLSearchParams(owner)}`;
    if (!(await send(post<Erased>(url, secret, { confirm: player })))) return; // the id confirms it
    keptKey.keep("");
    keptName.keep("");
    onErased();
  };
  return (
    <details>
      <summary>{say("This is you: export or erase your data")}</summary>
      <form class="submit-form" onSubmit={(event) => event.preventDefault()} noValidate>
        <TextField
          label={say("Player key or token")}
          hint={say("it is sent, and not kept here")}
          type="password"
          maxLength={MAX_SECRET}
          value={secret}
          onText={(text) => setSecret(text.trim())}
        />
        {!isVerified && (
          <TextField
            label={say("Name")}
            hint={say("as you gave it when you played")}
            autocomplete="nickname"
            value={name}
            onText={setName}
          />
        )}
        <p>
          <Button onClick={() => void save()}>{say("Download my data")}</Button>
        </p>
        <p>
          {say(
            "Erasing takes your rows off all boards; no page has your name any more, and the name and address of an account are deleted. Nobody can undo it. Raw results and scores stay stored without the name, where only owners can read them. What others have copied, exported or got by mail stays with them.",
          )}
        </p>
        <CheckField checked={isSure} onCheck={setSure}>
          {say("I want to be erased.")}
        </CheckField>
        <FormErrors errors={errors} />
        <Button disabled={!isSure || busy} onClick={() => void erase()}>
          {say("Erase me")}
        </Button>
      </form>
    </details>
  );
}
