/*! Laurel for games 1.0.0, Apache-2.0: sends results, keeps what could not be sent, reads boards. */

const KEY = "laurel-player-key";
const NAME = "laurel-player-name";
const MAX_KEPT = 50;
const MAX_CHARACTERS = 1_000_000;
const KEPT_DAYS = 7;
const DAY = 86_400;
const LONGEST_PAUSE = 300;
const FOLLOWED = 5;
const WAIT = 5;

/** A request that the site rejected, or that got no answer. */
export class LaurelError extends Error {
  constructor(status, problem = {}, retryAfter = null) {
    super(problem.detail ?? (status ? `the site answered with status ${status}` : "the site cannot be reached"));
    this.name = "LaurelError";
    this.status = status;
    this.type = problem.type?.replace("urn:laurel:problem:", "") ?? (status ? "http" : "network");
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may succeed later. */
  get isTemporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

let count = 0;

// A browser may refuse storage, by throwing at any of these calls: then this page remembers.
const memory = new Map();
const attempt = (use) => {
  try {
    return use(globalThis.localStorage);
  } catch {
    return undefined;
  }
};
const read = (name) => memory.get(name) ?? attempt((disk) => disk.getItem(name)) ?? null;
const erase = (name) => {
  memory.delete(name);
  attempt((disk) => disk.removeItem(name));
};
const write = (name, text) =>
  attempt((disk) => disk.setItem(name, text) ?? true) ? memory.delete(name) : memory.set(name, text);
const list = (prefix) =>
  [...memory.keys(), ...(attempt((disk) => Object.keys(disk)) ?? [])].filter((name) => name.startsWith(prefix)).sort();

// crypto.randomUUID exists on https pages only.
const makeDigits = (bytes) =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class Laurel extends EventTarget {
  static version = "1.0.0";
  #site;
  #benchmark;
  #kind;
  #failures = 0;
  #timer;
  #turn = Promise.resolve();

  constructor(site, { benchmark, player, kind }) {
    super();
    this.#site = new URL(site).origin;
    this.#benchmark = benchmark;
    this.#kind = kind;
    if (player !== undefined) this.player = player;
    globalThis.addEventListener?.("online", () => this.flush());
    if (this.waiting) this.flush();
  }

  /** The name that the board shows. */
  get player() {
    return read(NAME);
  }

  set player(name) {
    if (name !== this.player) erase(this.#name("player"));
    if (name) write(NAME, name);
    else erase(NAME);
  }

  /** The secret that makes the name this browser's own. */
  get playerKey() {
    const key = read(KEY);
    if (key) return key;
    this.playerKey = `player_${makeDigits(16)}`;
    return read(KEY);
  }

  set playerKey(key) {
    if (!/^player_[0-9a-f]{32}$/.test(key)) throw new TypeError("a player key is player_ and 32 hexadecimal digits");
    if (key !== read(KEY)) erase(this.#name("player"));
    write(KEY, key);
  }

  /** The player's id, after the first scored result. */
  get id() {
    return read(this.#name("player"));
  }

  /** How many results wait to be sent. */
  get waiting() {
    return list(this.#name("outbox")).length;
  }

  /** Send a result; while that is impossible, keep it and answer {status: "waiting"}. */
  async submit(result, { part, label, ticket, wait = WAIT } = {}) {
    const { query, headers } = this.#introduce();
    Object.assign(headers, { "Content-Type": "application/json", "Idempotency-Key": makeDigits(16) });
    if (ticket) headers["Laurel-Ticket"] = ticket.ticket ?? ticket;
    const entry = { at: Date.now(), query: { ...query, part, label }, headers, body: JSON.stringify(result) };
    // Names are in the order of submissions, also of those of one millisecond.
    const name = `${this.#name("outbox")}:${entry.at}-${String(count++).padStart(6, "0")}-${makeDigits(4)}`;
    this.#keep(name, entry);
    const answer = await this.#locked(() => this.#drain({ name, entry, wait }));
    return wait ? this.#follow(answer) : answer;
  }

  /** Send what waits, the oldest first. */
  flush() {
    return this.#locked(() => this.#drain());
  }

  /** Read rows of a board. */
  board({ board, limit = 10, from } = {}) {
    return this.#fetch("/rows", { board, limit, from });
  }

  /** Read the player's row between its neighbours; null without a row. */
  async around({ board, above = 3, below = 3, label, player = this.id } = {}) {
    if (!player) return null;
    const around = await this.#fetch(`/players/${encodeURIComponent(player)}/around`, { board, above, below, label });
    return around.rank === null ? null : around;
  }

  /** Get a run ticket, before the run. */
  ticket({ part } = {}) {
    const { query, headers } = this.#introduce();
    return this.#fetch("/runs", { ...query, part }, { method: "POST", headers });
  }

  /** Return what names the player: the query and the headers. */
  #introduce() {
    const { player } = this;
    return player
      ? { query: { player, kind: this.#kind }, headers: { "Laurel-Player-Key": this.playerKey } }
      : { query: { kind: this.#kind }, headers: {} };
  }

  #name(what) {
    return `laurel-${what}:${this.#site}/${this.#benchmark}`;
  }

  #keep(name, entry) {
    const text = JSON.stringify(entry);
    if (text.length > MAX_CHARACTERS) return; // It is sent once, and not kept.
    write(name, text);
    const names = list(this.#name("outbox"));
    const sizes = names.map((kept) => read(kept)?.length ?? 0);
    let size = sizes.reduce((sum, length) => sum + length, 0);
    for (let index = 0; names.length - index > MAX_KEPT || size > MAX_CHARACTERS; index++) {
      size -= sizes[index];
      this.#drop(names[index], new LaurelError(0, { type: "outbox-full", detail: "too many results wait to be sent" }));
    }
  }

  /** Send what waits, and what this page submits now; only one tab does so at a time. */
  async #drain(own) {
    let answer = null;
    let failure = null;
    let pause = null;
    for (const name of new Set([...list(this.#name("outbox")), ...(own ? [own.name] : [])])) {
      const isOwn = name === own?.name;
      const entry = isOwn ? own.entry : parse(read(name));
      if (entry === null) {
        erase(name);
        continue;
      }
      // A result that is sent too late may count twice.
      if (Date.now() - entry.at > KEPT_DAYS * DAY * 1000) {
        this.#drop(name, new LaurelError(0, { type: "too-old", detail: "the result is too old to be sent" }));
        continue;
      }
      try {
        const got = await this.#post(entry, isOwn ? own.wait : 0);
        erase(name);
        this.#emit("sent", got);
        if (isOwn) answer = got;
        // Only an answer with scores names the player, whom the board marks.
        else if (!this.id) this.#follow(got);
      } catch (error) {
        if (!error.isTemporary) this.#drop(name, error, isOwn);
        else pause = Math.max(pause ?? 0, error.retryAfter ?? 0);
        if (isOwn) failure = error;
        // What fails for lack of a network or of quota fails for the next one, too.
        if (error.status === 0 || error.status === 429) {
          failure ??= error;
          break;
        }
      }
    }
    clearTimeout(this.#timer);
    this.#failures = pause === null ? 0 : this.#failures + 1;
    if (pause !== null) this.#plan(pause);
    if (answer || !own) return answer;
    if (read(own.name) === null) throw failure; // It is not kept: rejected, or too large.
    return { status: "waiting", error: failure };
  }

  #plan(pause) {
    const backoff = Math.min(LONGEST_PAUSE, 2 ** this.#failures);
    const seconds = Math.min(DAY, Math.max(pause, backoff) + Math.random() * backoff);
    this.#timer = setTimeout(() => this.flush(), seconds * 1000);
    this.#timer.unref?.();
  }

  async #post(entry, wait) {
    const headers = wait ? { ...entry.headers, Prefer: `wait=${wait}` } : entry.headers;
    const answer = await this.#fetch("/submissions", entry.query, { method: "POST", headers, body: entry.body }, wait);
    return this.#remember(answer);
  }

  /** Ask for the scores of a result that was still queued when the answer came. */
  async #follow(answer) {
    for (let turn = 0; answer.status === "queued" && turn < FOLLOWED; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      const headers = { Authorization: `Bearer ${answer.receipt}` };
      const path = `/submissions/${answer.submission}`;
      const { receipt } = answer;
      answer = this.#remember({ ...(await this.#fetch(path, {}, { headers }).catch(() => answer)), receipt });
    }
    return answer;
  }

  #remember(answer) {
    if (answer.player && answer.player !== "guest") {
      write(this.#name("player"), answer.player);
      // A <laurel-board> of this page shows it soon.
      globalThis.dispatchEvent?.(new CustomEvent("laurel-sent"));
    }
    return answer;
  }

  #drop(name, error, isOwn = false) {
    erase(name);
    if (!isOwn) this.#emit("rejected", error);
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  async #locked(work) {
    let isRunning = false;
    const run = () => {
      isRunning = true;
      return work();
    };
    try {
      return await navigator.locks.request(this.#name("outbox"), run);
    } catch (error) {
      if (isRunning) throw error;
      // Without Web Locks two tabs may send the same result: its idempotency key makes it one submission.
      return (this.#turn = this.#turn.then(run, run));
    }
  }

  async #fetch(path, query, options = {}, wait = 0) {
    if (globalThis.navigator?.onLine === false) throw new LaurelError(0);
    const url = new URL(`${this.#site}/api/benchmarks/${this.#benchmark}${path}`);
    for (const [name, value] of Object.entries(query)) if (value != null) url.searchParams.set(name, value);
    let response;
    let body;
    try {
      const signal = AbortSignal.timeout((wait + 30) * 1000);
      response = await fetch(url, { credentials: "omit", ...options, signal });
      body = await response.json();
    } catch {
      if (!response || response.ok) throw new LaurelError(0);
    }
    if (response.ok) return body;
    const isProblem = response.headers.get("Content-Type")?.startsWith("application/problem+json");
    const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
    throw new LaurelError(response.status, isProblem ? body : {}, seconds >= 0 ? seconds : null);
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
