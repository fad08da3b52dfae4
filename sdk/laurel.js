/*! Laurel for games 1.1.0, Apache-2.0: sends results, keeps what could not be sent, reads boards. */

import { readName } from "./names.js";

const KEY = "laurel-player-key";
const NAME = "laurel-player-name";
const MAX_KEPT = 50;
const MAX_CHARACTERS = 1_000_000;
const DAY = 86_400;
const WEEK = 7 * DAY * 1000;
const LONGEST_PAUSE = 300;
const FOLLOWED = 5;
const WAIT = 5;
/** The longest body that is sent although the page closes: browsers allow 64 KiB. */
const MAX_KEEPALIVE = 16_000;
/** What of a result the site rejected: another one may be given, so the result is kept. */
const REPLACEABLE = {
  "invalid-player": "player",
  "name-taken": "player",
  "player-needed": "player",
  erased: "player",
  "invalid-label": "label",
  "too-many-labels": "label",
};

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
    // Without a type it is of a proxy or a hotel's network.
    return ["http", "network"].includes(this.type) || this.status === 429 || this.status >= 500;
  }
}

// A browser may refuse storage, by throwing at any of these calls: then this page remembers.
const memory = new Map();
const attempt = (use) => {
  try {
    return use();
  } catch {
    return undefined;
  }
};
const read = (name) => memory.get(name) ?? attempt(() => localStorage.getItem(name)) ?? null;
const erase = (name) => {
  memory.delete(name);
  attempt(() => localStorage.removeItem(name));
};
const write = (name, text) =>
  attempt(() => localStorage.setItem(name, text) ?? true) ? memory.delete(name) : memory.set(name, text);
const list = (prefix) =>
  [...new Set([...memory.keys(), ...(attempt(() => Object.keys(localStorage)) ?? [])])]
    .filter((name) => name.startsWith(prefix))
    .sort();

// crypto.randomUUID exists on https pages only.
const makeDigits = (bytes) =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class Laurel extends EventTarget {
  static version = "1.1.0";
  #site;
  #benchmark;
  #kind;
  #failures = 0;
  #held = new Map();
  #clock = null;
  #timer;
  #turn = Promise.resolve();

  constructor(site, { benchmark, player, kind }) {
    super();
    this.#site = new URL(site).origin;
    this.#benchmark = benchmark;
    this.#kind = kind;
    // A name that the site rejects must not stop the game: its results wait for another one.
    if (player !== undefined) this.#rename(player);
    globalThis.addEventListener?.("online", () => this.flush());
    if (this.waiting) this.flush();
  }

  /** The name that the board shows. */
  get player() {
    return read(NAME);
  }

  set player(name) {
    const { shown, message } = readName(name ?? "");
    if (shown && message) throw new LaurelError(422, { type: "invalid-player", detail: message });
    this.#rename(shown);
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
    const entry = { query: { ...query, part, label }, headers, body: JSON.stringify(result) };
    // Names are in the order of submissions, also of those of one millisecond, and under a clock that is set back.
    const last = Number.parseInt(list(this.#name("outbox")).at(-1)?.slice(this.#name("outbox").length + 1), 10) || 0;
    const moment = String(Math.max(Date.now(), last + 1)).padStart(15, "0");
    const name = `${this.#name("outbox")}:${moment}-${makeDigits(4)}`;
    this.#keep(name, entry);
    const answer = await this.#locked(() => this.#drain({ name, entry, wait }));
    return wait ? this.#follow(answer) : answer;
  }

  /** Send what waits, the oldest first: under today's name and this label what was rejected for its own. */
  flush({ label } = {}) {
    return this.#locked(() => this.#drain(undefined, label));
  }

  /** Read rows of a board. */
  board({ board, limit = 10, from, players } = {}) {
    return this.#fetch("/rows", players ? { board, players: players.join(",") } : { board, limit, from });
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

  #rename(name) {
    if (name !== this.player) erase(this.#name("player"));
    if (name) write(NAME, name);
    else erase(NAME);
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
  async #drain(own, label) {
    let answer = null;
    let failure = null;
    let pause = null;
    for (const name of new Set([...list(this.#name("outbox")), ...(own ? [own.name] : [])])) {
      const isOwn = name === own?.name;
      const entry = isOwn ? own.entry : attempt(() => JSON.parse(read(name)));
      if (!entry) {
        erase(name);
        continue;
      }
      if (!isOwn && label === undefined && this.#held.get(name) === this.player) continue;
      try {
        if (await this.#isTooOld(entry)) {
          this.#drop(name, new LaurelError(0, { type: "too-old", detail: "the result is too old to be sent" }));
          continue;
        }
        const got = await this.#send(name, entry, isOwn ? own.wait : 0, label);
        erase(name);
        this.#emit("sent", got);
        if (isOwn) answer = got;
        // Only an answer with scores names the player, whom the board marks.
        else if (!this.id) this.#follow(got);
      } catch (error) {
        if (REPLACEABLE[error.type]) {
          this.#held.set(name, this.player);
          this.#emit("refused", error);
        } else if (!error.isTemporary) this.#drop(name, error, isOwn);
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

  /**
   * Return whether the site may have stored the result, and forgotten that it has: it would count twice. Only what was
   * sent once can be stored, and only the site's clock is right: one without a battery begins in 1970.
   */
  async #isTooOld({ tried }) {
    const isOld = () => this.#now - tried > WEEK;
    if (tried == null || (this.#clock && !isOld())) return false;
    // The device's clock may have been set since: nothing is dropped before the site is asked.
    this.#clock = null;
    await this.#fetch("/rows", { limit: 1 }, { cache: "no-store" }).catch((error) => {
      if (error.status === 0) throw error;
    });
    return isOld();
  }

  /** The time by the site's clock; null before the first answer with one. */
  get #now() {
    if (!this.#clock) return null;
    const { date, wall, tick } = this.#clock;
    // The clock of a device may be set back, and what counts ticks may sleep with it.
    return date + Math.max(Date.now() - wall, performance.now() - tick);
  }

  /** Send a result, under another name or label once the site has rejected its own. */
  async #send(name, entry, wait, label) {
    if (entry.tried === undefined && globalThis.navigator?.onLine !== false) entry.tried = this.#now;
    for (;;) {
      if (read(name) !== null) write(name, JSON.stringify(entry));
      try {
        return await this.#post(entry, wait);
      } catch (error) {
        const field = entry.query.player ? REPLACEABLE[error.type] : REPLACEABLE[error.type] && "player";
        const other = field === "player" ? (this.player ?? undefined) : field && label;
        if (other === undefined || other === entry.query[field]) throw error;
        entry.query[field] = other;
        if (field === "player") entry.headers["Laurel-Player-Key"] = this.playerKey;
      }
    }
  }

  async #post({ query, headers, body }, wait) {
    if (wait) headers = { ...headers, Prefer: `wait=${wait}` };
    const options = { method: "POST", headers, body, keepalive: body.length <= MAX_KEEPALIVE };
    return this.#remember(await this.#fetch("/submissions", query, options, wait));
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
    const url = new URL(`${this.#site}/api/benchmarks/${this.#benchmark}${path}`);
    for (const [name, value] of Object.entries(query)) if (value != null) url.searchParams.set(name, value);
    let response;
    let body;
    try {
      const signal = AbortSignal.timeout((wait + 30) * 1000);
      response = await fetch(url, { credentials: "omit", ...options, signal });
      const date = Date.parse(response.headers.get("Date"));
      // What a cache kept has the time of then.
      if (date && (options.cache || options.method)) this.#clock = { date, wall: Date.now(), tick: performance.now() };
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
