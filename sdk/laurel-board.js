/*! <laurel-board> 1.0.0, Apache-2.0: the first rows of a board, and the player's own with its neighbours. */

import { nextPause, PLACE_SECONDS } from "./beat.js";
import { writeDigits, writeWithUnit } from "./numbers.js";

const SITE = new URL(import.meta.url).origin;
const SLOWEST_RETRY = 300;
const WAKE_SECONDS = 1;
const EXPECTED_TURNS = 30;
const MAX_METRICS = 3;
const DEFAULT_ROWS = 10;

const STYLE = new CSSStyleSheet();
STYLE.replaceSync(`
:host {
  --line: var(--laurel-line, light-dark(#e0e6e2, #2b352f));
  --muted: var(--laurel-muted, light-dark(#55635b, #a3b1a9));
  display: block; color-scheme: light dark; overflow-x: auto;
  color: var(--laurel-text, light-dark(#14201a, #e9efeb));
  background: var(--laurel-surface, light-dark(#fff, #161c18));
  font: 15px/1.4 var(--laurel-font, system-ui, sans-serif);
}
:host([hidden]) { display: none; }
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { padding: 8px 10px; text-align: start; font-weight: 600; }
a { color: var(--laurel-accent, light-dark(#136a41, #74d3a2)); }
th, td { padding: 6px 10px; border-top: 1px solid var(--line); text-align: end; white-space: nowrap; }
thead th { color: var(--muted); font-weight: 500; font-size: 13px; }
.rank { width: 1%; text-align: start; color: var(--muted); }
.name { text-align: start; max-width: 0; width: 60%; overflow: hidden; text-overflow: ellipsis; font-weight: 500; }
.own > * { background: var(--laurel-own, light-dark(#e2f2e9, #1b3427)); }
.gap > * { padding-block: 0; color: var(--muted); text-align: center; }
small { color: var(--muted); font-weight: 400; }
p { margin: 0; padding: 8px 10px; color: var(--muted); }
p:empty { display: none; }
`);

/** Return an element with text or children; text never becomes markup. */
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

class LaurelBoard extends HTMLElement {
  static observedAttributes = ["site", "benchmark", "board", "rows", "player", "lang"];
  #root = this.attachShadow({ mode: "open" });
  #message = make("p", { role: "status" });
  #stop = new AbortController();
  #timer;
  #asked = 0;
  #failures = 0;
  #found = null;
  #date = NaN;
  #language = "en";
  #words = {};
  #around = { at: -Infinity, of: "", rows: [] };
  #drawn = "";
  #seen = "";
  #unchanged = 0;
  #expected = 0;

  connectedCallback() {
    this.#root.adoptedStyleSheets = [STYLE];
    this.#root.append(this.#message);
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const wake = () => this.#plan(Math.max(0, WAKE_SECONDS - (performance.now() - this.#asked) / 1000));
    document.addEventListener("visibilitychange", wake, { signal });
    addEventListener("focus", wake, { signal });
    addEventListener("online", wake, { signal });
    addEventListener("laurel-sent", () => this.refresh(), { signal });
    this.#plan(0);
  }

  disconnectedCallback() {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  attributeChangedCallback() {
    this.#found = null;
    this.#forget();
    if (this.isConnected) this.#plan(0);
  }

  /** Read the board now, and again until it shows what was sent just now. */
  refresh() {
    this.#forget();
    this.#expected = EXPECTED_TURNS;
    this.#plan(0);
  }

  #forget() {
    this.#around.at = -Infinity;
    this.#around.of = "";
  }

  /** Learn the words of the element's language, or else of the page's. */
  async #learn() {
    const language = this.closest("[lang]")?.lang.slice(0, 2);
    if (language === this.#language) return;
    const module = language !== "en" && (await import("./words.js").catch(() => null));
    const words = module && module.default[language];
    [this.#language, this.#words, this.#drawn] = words ? [language, words, ""] : ["en", {}, ""];
  }

  #say(text) {
    return this.#words[text] ?? text;
  }

  get #site() {
    return this.getAttribute("site") ?? SITE;
  }

  get #limit() {
    return Math.min(100, Math.max(1, Number.parseInt(this.getAttribute("rows"), 10) || DEFAULT_ROWS));
  }

  /** The player's id: that of the attribute, or who submitted last from this page's origin. */
  get #player() {
    const name = `laurel-player:${new URL(this.#site).origin}/${this.getAttribute("benchmark")}`;
    try {
      return this.getAttribute("player") ?? localStorage.getItem(name);
    } catch {
      return null;
    }
  }

  #plan(seconds) {
    clearTimeout(this.#timer);
    if (!document.hidden) this.#timer = setTimeout(() => this.#poll(), seconds * 1000);
  }

  async #poll() {
    const { signal } = this.#stop;
    this.#asked = performance.now();
    let pause = nextPause(0);
    try {
      await this.#learn();
      const file = await this.#findHead();
      const head = file && (await this.#fetch(file));
      const own = head ? await this.#readAround(head) : [];
      if (signal.aborted) return;
      // An old version's address leads to today's.
      if (head && this.#found) this.#found.version = head.version;
      if (head) this.#draw(head, own);
      else this.#clear();
      this.#message.textContent = head?.rows.player.length ? "" : this.#say("Nobody is on this board yet.");
      this.#failures = 0;
      const seen = `${head?.board} ${head?.version} ${head?.sequence}`;
      this.#unchanged = seen === this.#seen ? this.#unchanged + 1 : 0;
      if (this.#unchanged === 0 && this.#seen !== "") this.#expected = Math.min(this.#expected, 1);
      this.#seen = seen;
      pause = nextPause(this.#unchanged, head?.beat, this.#expected-- > 0);
    } catch (error) {
      if (signal.aborted) return;
      pause = Math.min(SLOWEST_RETRY, 10 * 2 ** this.#failures++) * (1 + Math.random() / 5);
      const isMissing = error.message === "404";
      const name = [this.getAttribute("benchmark"), this.getAttribute("board")].filter(Boolean).join("/");
      const missing = `${this.#say("There is no board “{name}”.").replace("{name}", name)} ${this.#site}`;
      const text = isMissing ? missing : this.#say("The server did not answer. This page keeps trying.");
      if (isMissing && text !== this.#message.textContent) console.error(text);
      this.#message.textContent = text;
    }
    this.#plan(pause);
  }

  /** Return the address of the board's first rows; null if today's board has no file, for nobody has played yet. */
  async #findHead() {
    const benchmark = encodeURIComponent(this.getAttribute("benchmark"));
    const board = this.getAttribute("board") ?? "main";
    // A window ends by the clock of the site's last answer: that of the device may be wrong.
    if (board === "main") return `/data/b/${benchmark}/head.json`;
    if (this.#found === null || (this.#date || Date.now()) >= Date.parse(this.#found.window?.to)) {
      const found = await this.#fetch(`/api/benchmarks/${benchmark}/rows?limit=1&board=${encodeURIComponent(board)}`);
      if (found.sequence === 0) return null;
      // A closed day stays; a window's name has another day tomorrow.
      if (found.board === board) found.window = null;
      this.#found = found;
    }
    return `/data/b/${benchmark}/boards/${this.#found.board}/${this.#found.version}/head.json`;
  }

  /** Return the player's row and its neighbours below the first rows; of a long board when it moved, at most once a minute. */
  async #readAround(head) {
    const player = this.#player;
    const index = head.rows.player.indexOf(player);
    if (index >= 0) return readRows(head.rows, Math.max(this.#limit, index - 1), index + 2);
    if (!player || head.total <= head.rows.player.length) return [];
    const of = `${head.board} ${head.version} ${head.sequence}`;
    const isOld = this.#expected > 0 || performance.now() - this.#around.at > PLACE_SECONDS * 1000;
    if (of !== this.#around.of && isOld) {
      const path = `/api/benchmarks/${head.id}/players/${encodeURIComponent(player)}/around?above=1&below=1&board=${head.board}`;
      const around = await this.#fetch(path).catch(() => null);
      this.#around = { at: performance.now(), of: around && of, rows: around?.rows ?? this.#around.rows };
    }
    return this.#around.rows;
  }

  async #fetch(path) {
    // The browser sends the ETag: an unchanged board costs a 304.
    const response = await fetch(this.#site + path, { cache: "no-cache", credentials: "omit", signal: this.#stop.signal });
    if (!response.ok) throw new Error(String(response.status));
    this.#date = Date.parse(response.headers.get("Date"));
    return response.json();
  }

  #clear() {
    this.#drawn = "";
    this.#root.replaceChildren(this.#message);
  }

  #draw(head, own) {
    const drawn = JSON.stringify([head.sequence, head.publish_number, this.#limit, this.#player, own]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const ranking = head.ranking.order.map(([id]) => id);
    const metrics = head.metrics
      .toSorted((a, b) => (ranking.indexOf(a.id) + 1 || 99) - (ranking.indexOf(b.id) + 1 || 99))
      .slice(0, MAX_METRICS);
    const first = readRows(head.rows, 0, this.#limit);
    const further = own.filter((row) => !first.some((other) => isSame(other, row)));
    const gap = make("tr", { className: "gap", ariaHidden: "true" }, make("td", { colSpan: metrics.length + 2 }, "⋯"));
    const address = `${this.#site}/b/${head.id}${head.board === "main" ? "" : `?board=${head.board}`}`;
    const link = make("a", { href: address, target: "_blank", rel: "noopener" }, head.title);
    const title = head.board_title ? [link, ` · ${head.board_title}`] : [link];
    const labels = metrics.map((metric) => make("th", { scope: "col", title: metric.help ?? "" }, metric.label));
    const heading = [make("th", { scope: "col", className: "rank" }, this.#say("Rank")), make("th", { scope: "col", className: "name" }, this.#say("Player"))];
    const table = make(
      "table",
      {},
      make("caption", {}, ...title),
      make("thead", {}, make("tr", {}, ...heading, ...labels)),
      make(
        "tbody",
        {},
        ...first.map((row) => this.#makeRow(row, metrics, head.baselines)),
        ...(further.length ? [gap] : []),
        ...further.map((row) => this.#makeRow(row, metrics, head.baselines)),
      ),
    );
    this.#root.replaceChildren(table, this.#message);
  }

  #makeRow(row, metrics, baselines) {
    const isOwn = row.player === this.#player;
    const name = make("th", { scope: "row", className: "name", title: row.name }, make("bdi", {}, row.name));
    if (row.label) name.append(make("small", {}, " · ", make("bdi", {}, row.label)));
    if (!row.verified) name.append(make("small", {}, ` (${this.#say("guest")})`));
    if (baselines?.some((other) => isSame(other, row))) name.append(make("small", {}, ` (${this.#say("baseline")})`));
    const line = make(
      "tr",
      { className: isOwn ? "own" : "" },
      make("td", { className: "rank" }, `${row.tied ? "=" : ""}${row.rank}`),
      name,
      ...metrics.map((metric) => this.#makeCell(row.scores[metric.id], metric)),
    );
    if (isOwn) line.ariaCurrent = "true";
    return line;
  }

  #makeCell(value, metric) {
    return make("td", { title: writeDigits(value, metric) ?? "" }, writeWithUnit(value, metric, this.#language));
  }
}

const isSame = (a, b) => a.player === b.player && (a.label || null) === (b.label || null);

/** Return rows of a head, which has columns. */
function readRows(columns, start, end) {
  return columns.player.slice(start, end).map((player, offset) => ({
    player,
    name: columns.name[start + offset],
    label: columns.label?.[start + offset],
    rank: columns.rank[start + offset],
    tied: columns.tied[start + offset],
    verified: columns.verified[start + offset],
    scores: Object.fromEntries(Object.entries(columns.scores).map(([id, values]) => [id, values[start + offset]])),
  }));
}

customElements.define("laurel-board", LaurelBoard);
