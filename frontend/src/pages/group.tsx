/** `/b/{b}?group=CODE`: the members of a group on a board, and a form to join; `?group=new` makes a group. */

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

import { nextPause } from "../../../sdk/beat.js";
import { fetchBoard } from "../api/boards.ts";
import type { Head, PlayerKind } from "../api/generated/types.ts";
import { fetchGroupRows, joinGroup, leaveGroup, makeGroup, type GroupRows } from "../api/groups.ts";
import { BoardTabs } from "../components/board/board_tabs.tsx";
import { Button } from "../components/controls.tsx";
import { FormErrors, KindField, readErrors, TextField } from "../components/fields.tsx";
import { Hero } from "../components/layout.tsx";
import { PlayerTags } from "../components/player_name.tsx";
import { ScoreCells } from "../components/scores.tsx";
import { NoIndex, Notice, Skeleton, StaleBanner, Unavailable } from "../components/states.tsx";
import { PlayerKeyField } from "../components/submission/player_key.tsx";
import { TableHead } from "../components/table_head.tsx";
import { ScrollArea } from "../components/tables.tsx";
import { CopyButton } from "../components/tabs.tsx";
import { useBoards } from "../hooks/boards.ts";
import { useTitle } from "../hooks/browser.ts";
import { useFollow } from "../hooks/follow.ts";
import { openPage } from "../hooks/navigation.ts";
import { usePolled } from "../hooks/polling.ts";
import { memberships, playerKeys } from "../hooks/receipts.ts";
import { mix, say } from "../languages/say.ts";
import { checkName, isPlayerKey, makeRandomDigits } from "../lib/checks.ts";
import { formatRank } from "../lib/format.ts";
import { MAIN, parseBoard } from "../lib/board/view.ts";
import { describeRanking } from "../lib/ranks.ts";
import { boardPath, playerPath } from "../lib/route.ts";

/** The rows are asked for when the board moved, but no more often: the API reads all members. */
const GROUP_SECONDS = 10;
const MISSING = say("The group does not exist any more.");

interface Props {
  readonly benchmark: string;
  readonly search: string;
}

export function GroupPage({ benchmark, search }: Props) {
  const board = parseBoard(search);
  const code = new URLSearchParams(search).get("group") ?? "";
  const polled = usePolled(
    `${benchmark} ${board}`,
    (signal) => fetchBoard(benchmark, board, signal),
    (head, unchanged) => nextPause(unchanged, head.beat),
  );
  // While another board is loading, the one before stays.
  const last = useRef<Head | null>(null);
  const head = polled.value ?? (polled.phase === "loading" && last.current?.id === benchmark ? last.current : null);
  last.current = head;
  if (!head) {
    return (
      <Unavailable phase={polled.phase} retry={polled.retry} missing={say("There is no such board.")} board={benchmark}>
        <Skeleton count={8} kind="row" />
      </Unavailable>
    );
  }
  return code === "new" ? <NewGroup head={head} /> : <Group key={code} head={head} code={code} />;
}

interface GroupProps {
  readonly head: Head;
  readonly code: string;
}

function Group({ head, code }: GroupProps) {
  const { boards } = useBoards(head.id, true);
  const [turn, setTurn] = useState(0);
  const polled = usePolled(`${head.id} ${head.board} ${code} ${turn}`, async (signal) => {
    const fetched = await fetchGroupRows(head.id, code, head.board, signal);
    setRefusal(fetched.kind === "rejected" ? fetched.problem.detail : "");
    return fetched;
  });
  useFollow(`${head.version} ${head.sequence}`, polled.retry, GROUP_SECONDS);
  // What the server said, for instance after too many requests.
  const [refusal, setRefusal] = useState("");
  const last = useRef<GroupRows | null>(null);
  const group = polled.value ?? (polled.phase === "missing" ? null : last.current);
  last.current = group;
  useTitle(group ? `${group.name} · ${head.title}` : "");
  if (!group && refusal !== "") {
    return (
      <Notice title={say("Not possible right now")} alert>
        <p>{refusal}</p>
        <Button onClick={polled.retry}>{say("Try again")}</Button>
      </Notice>
    );
  }
  if (!group) {
    const missing = say("No group has this code. It may be mistyped or deleted.");
    return (
      <Unavailable phase={polled.phase} retry={polled.retry} missing={missing} board={head.id}>
        <Skeleton count={8} kind="row" />
      </Unavailable>
    );
  }
  const me = memberships.find(group.code);
  return (
    <>
      <NoIndex />
      <StaleBanner stale={polled.phase === "failed" && refusal === ""} retry={polled.retry} />
      <Hero board={head}>
        <h1>
          <bdi>{group.name}</bdi>
        </h1>
        <p class="labels">
          <span class="pill plain">{say("{count} member|{count} members", { count: group.members })}</span>
          <span class="receipt-line">
            {mix("Code {code}", { code: <code>{group.code}</code> })}{" "}
            <CopyButton label={say("the address of the group")} text={addressOf(head, group.code)} />
          </span>
        </p>
        <p class="fine">
          {say("Who has the code or this address can see the group and join it. It is listed nowhere.")}
        </p>
      </Hero>
      <section aria-label={say("Rows of the group")}>
        <BoardTabs
          benchmark={head.id}
          boards={boards}
          current={head.window?.window ?? head.board}
          pathOf={(id, board) => groupPath(id, group.code, board)}
        />
        {group.rows.length === 0 ? (
          <p>{say("Nobody in this group is on this board yet.")}</p>
        ) : (
          <GroupTable head={head} group={group} me={me} />
        )}
        <p class="rule">{describeRanking(head)}</p>
      </section>
      <Membership code={group.code} me={me} onChange={() => setTurn(turn + 1)} />
      <section aria-label={say("Other groups")}>
        <a href={groupPath(head.id, "new")}>{say("Make or open another group")}</a>
      </section>
    </>
  );
}

interface TableProps {
  readonly head: Head;
  readonly group: GroupRows;
  /** The visitor, if a member. */
  readonly me: string | null;
}

const GroupTable = ({ head, group, me }: TableProps) => (
  <ScrollArea class="board" label={say("Rows of the group")}>
    <table>
      <TableHead
        labels={[say("Rank"), say("Player")]}
        metrics={[...head.metrics, { id: "#board", label: say("On the board"), direction: "lower" }]}
      />
      <tbody>
        {group.rows.map((row) => (
          <tr key={row.player} class={row.player === me ? "mine" : undefined}>
            <td>{formatRank(row.rank, row.tied)}</td>
            <th scope="row">
              <a href={playerPath(head.id, row.player, head.board)}>
                <bdi>{row.name}</bdi>
              </a>
              {row.player === me && <strong> {say("you")}</strong>} <PlayerTags {...row} />
            </th>
            <ScoreCells metrics={head.metrics} scores={row.scores} />
            <td class="number">
              {row.board_rank === null
                ? "–"
                : say("{number} of {total}", { number: row.board_rank, total: group.board_total ?? 0 })}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollArea>
);

interface MembershipProps {
  readonly code: string;
  readonly me: string | null;
  readonly onChange: () => void;
}

/** A form to join; for a member, a button to leave. */
function Membership({ code, me, onChange }: MembershipProps) {
  const [player, setPlayer] = useState("");
  const [kind, setKind] = useState<PlayerKind>("human");
  const [leaving, setLeaving] = useState<readonly string[]>([]);
  if (me !== null) {
    const leave = async (): Promise<void> => {
      const fetched = await leaveGroup(code, me, playerKeys.find() ?? "");
      // A member whom the maker has taken off is none any more, either.
      if (fetched.kind !== "ok" && fetched.kind !== "missing") return setLeaving(readErrors(fetched, MISSING));
      memberships.drop(code);
      onChange();
    };
    return (
      <section aria-label={say("Membership")}>
        <p>
          {say("You are in this group.")}{" "}
          <Button small onClick={leave}>
            {say("Leave the group")}
          </Button>
        </p>
        <div role="alert">{leaving.join(" ")}</div>
      </section>
    );
  }
  const join = async (key: string): Promise<readonly string[]> => {
    const wrong = player.trim() === "" ? say("Give the name under which you play.") : checkName(player);
    if (wrong !== null) return [wrong];
    const fetched = await joinGroup(code, player.trim(), kind, key);
    if (fetched.kind !== "ok") return readErrors(fetched, MISSING);
    memberships.keep(code, fetched.value.player);
    onChange();
    return [];
  };
  return (
    <KeyForm title={say("Join the group")} button={say("Join")} onSend={join}>
      <TextField
        label={say("Name")}
        hint={say("the one under which you play")}
        autocomplete="nickname"
        value={player}
        onText={setPlayer}
      />
      <KindField kind={kind} onKind={setKind} />
    </KeyForm>
  );
}

/** A form that makes a group. */
function NewGroup({ head }: { readonly head: Head }) {
  const [name, setName] = useState("");
  const [code, setCode] = useState("");
  useTitle(`${say("New group")} · ${head.title}`);
  const make = async (key: string): Promise<readonly string[]> => {
    const wrong = name.trim() === "" ? say("Give the group a name.") : checkName(name);
    if (wrong !== null) return [wrong];
    const fetched = await makeGroup(name.trim(), key);
    if (fetched.kind !== "ok") return readErrors(fetched, MISSING);
    openPage(groupPath(head.id, fetched.value.code));
    return [];
  };
  const open = (event: Event): void => {
    event.preventDefault();
    if (code.trim() !== "") openPage(groupPath(head.id, code.trim()));
  };
  return (
    <>
      <NoIndex />
      <Hero board={head}>
        <h1>{say("Groups")}</h1>
        <p class="lead">
          {say("Compare with a class or with friends: a group has a code, and its members’ rows of every board.")}
        </p>
      </Hero>
      <form class="submit-form" onSubmit={open}>
        <h2>{say("Open a group")}</h2>
        <TextField
          label={say("Code")}
          hint={say("ten letters")}
          spellcheck={false}
          placeholder="GJCBP-WMDQZ"
          value={code}
          onText={setCode}
        />
        <p>
          <button type="submit" class="button">
            {say("Open a group")}
          </button>
        </p>
      </form>
      <KeyForm
        title={say("Make a group")}
        button={say("Make the group")}
        held={say("This browser’s player key makes the group, and only with that key it can be deleted.")}
        made={say("This key makes the group, and only with this key it can be deleted. Your name is yours by it, too.")}
        onSend={make}
      >
        <TextField label={say("Name")} hint={say("what the group is called")} value={name} onText={setName} />
      </KeyForm>
    </>
  );
}

interface KeyFormProps {
  readonly title: string;
  readonly button: string;
  /** What the key is for, instead of what it is for a name. */
  readonly held?: string;
  readonly made?: string;
  /** Sends the form with the player key; returns what is wrong. */
  readonly onSend: (key: string) => Promise<readonly string[]>;
  readonly children: ComponentChildren;
}

/** A form that is sent with the visitor's player key, which is stored before it is sent. */
function KeyForm({ title, button, onSend, children, ...texts }: KeyFormProps) {
  const [key, setKey] = useState(() => playerKeys.find() ?? `player_${makeRandomDigits()}`);
  const [sending, setSending] = useState(false);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (sending) return;
    if (!isPlayerKey(key)) return setErrors([say("A player key is player_ and 32 digits. Copy the whole key.")]);
    playerKeys.keep(key);
    setSending(true);
    setErrors(await onSend(key));
    setSending(false);
  };
  return (
    <section aria-label={title}>
      <form class="submit-form" onSubmit={send} noValidate>
        <h2>{title}</h2>
        {children}
        <PlayerKeyField value={key} onValue={setKey} {...texts} />
        <FormErrors id="group-errors" errors={errors} />
        <button type="submit" class="button primary" disabled={sending}>
          {button}
        </button>
      </form>
    </section>
  );
}

/** `new` in the place of a code is the page that makes a group. */
const groupPath = (benchmark: string, code: string, board = MAIN): string =>
  `${boardPath(benchmark)}?group=${encodeURIComponent(code)}${board === MAIN ? "" : `&board=${board}`}`;

const addressOf = (head: Head, code: string): string => `${location.origin}${groupPath(head.id, code, head.board)}`;
