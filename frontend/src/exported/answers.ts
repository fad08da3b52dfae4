/** Answers the requests of pages from the files of an export, which `laurel export` writes. */

import type { BoardList, ListedSubmission, RowView } from "../api/generated/types.ts";
import { MAIN } from "../api/view.ts";
import { fold } from "../ui/lib/fold.ts";

/** What `manifest.json` says of an export. */
export interface Manifest {
  readonly benchmark: string;
  readonly version: string;
  readonly site: string;
  readonly made_at: string;
  /** What is known of each file, by its name. */
  readonly files: Readonly<Record<string, unknown>>;
}

const SHARDS = 256;
const PAGE = 50;
const MISSING = { status: 404 };

const parse = (url: string): URL => new URL(url, "export:/");

/** Return the name of the file with the answer to a path of the benchmark in the API: `players/ada`. */
export const shardOf = (path: string): string =>
  `site/answers/${([...path].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % SHARDS).toString(16)}.json`;

/** Return the file that an address of the site stands for; undefined if the export does not have it. */
export function fileOf(url: string, { benchmark, files }: Manifest): string | undefined {
  const { pathname, searchParams } = parse(url);
  const [, data] = pathname.split(`/data/b/${benchmark}/`);
  const [, api] = pathname.split(`/api/benchmarks/${benchmark}`);
  // The folder of another board may have one of a version, which the export leaves out.
  const [folder, board, ...names] = data?.split("/") ?? [];
  const file =
    data === undefined
      ? { "": "benchmark.json", "/boards": "boards.json", "/rows.csv": `boards/${searchParams.get("board")}/rows.csv` }[
          api ?? "/"
        ]
      : data === "corrections.json"
        ? data
        : `boards/${folder === "boards" ? `${board}/${names.at(-1)}` : `${MAIN}/${data}`}`;
  return file !== undefined && file in files ? file : undefined;
}

/**
 * Return what answers requests as the site did when it was exported: 404 for what the export does not have.
 *
 * @param read Loads a file of the export.
 */
export function makeAnswers(manifest: Manifest, read: (name: string) => Promise<Response>): typeof fetch {
  const { benchmark, version, files } = manifest;
  const load = async <Value>(name: string, none: Value): Promise<Value> =>
    name in files ? ((await (await read(name)).json()) as Value) : none;

  /** Return the rows of a board, of a window its present instance, and what is known of that. */
  async function loadRows(query: URLSearchParams) {
    const asked = query.get("board") ?? MAIN;
    const { boards } = await load<Pick<BoardList, "boards">>("boards.json", { boards: [] });
    const board = boards.find(({ id }) => id === asked)?.window?.board ?? asked;
    const [name, span] = [`boards/${board}/rows.jsonl`, await load(`boards/${board}/window.json`, {})];
    const lines = name in files ? (await (await read(name)).text()).trim().split("\n").filter(Boolean) : [];
    return { rows: lines.map((line) => JSON.parse(line) as RowView), span: { board, ...span } };
  }

  async function answerRows(query: URLSearchParams): Promise<Response> {
    const { rows, span } = await loadRows(query);
    const [players, text] = [query.get("players")?.split(","), fold(query.get("q") ?? "")];
    const named = players
      ? rows.filter(({ player }) => players.includes(player))
      : rows.filter(({ name }) => fold(name).includes(text));
    const matching = named[0] || players ? named : rows.filter(({ player }) => fold(player).startsWith(text));
    const start = Number(query.get("from") ?? 1) - 1;
    const shown = matching.slice(start, start + Number(query.get("limit") ?? PAGE));
    return Response.json({ ...span, rows: shown, matches: matching.length, total: rows.length });
  }

  async function answerAround(player: string, query: URLSearchParams): Promise<Response> {
    const { rows } = await loadRows(query);
    const at = rows.findIndex((row) => row.player === player);
    const [above, below] = [Number(query.get("above")), Number(query.get("below"))];
    const around = at < 0 ? [] : rows.slice(Math.max(0, at - above), at + below + 1);
    return Response.json({ rows: around, number: at < 0 ? null : at + 1 });
  }

  return async (url) => {
    const file = fileOf(String(url), manifest);
    if (file !== undefined) return read(file);
    const { pathname, searchParams } = parse(String(url));
    const [, path] = pathname.split(`/api/benchmarks/${benchmark}/`);
    if (path === undefined || (searchParams.get("version") ?? version) !== version) return new Response(null, MISSING);
    if (path === "rows") return answerRows(searchParams);
    const [, id = "", part] = path.split("/");
    if (part === "around") return answerAround(id, searchParams);
    const [player, from] = [searchParams.get("player"), Number(searchParams.get("cursor"))];
    const key = player === null ? path : `players/${player}/${path}`;
    const answer = (await load<Readonly<Record<string, unknown>>>(shardOf(key), {}))[key];
    if (answer === undefined || player === null) return Response.json(answer ?? null, answer ? {} : MISSING);
    const [all, next] = [answer as readonly ListedSubmission[], from + PAGE];
    return Response.json({ submissions: all.slice(from, next), next: next < all.length ? String(next) : null });
  };
}
