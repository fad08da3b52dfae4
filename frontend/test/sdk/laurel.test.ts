import assert from "node:assert/strict";
import { beforeEach, mock, test, type TestContext } from "node:test";

import { Laurel, LaurelError, type Answer } from "../../../sdk/laurel.js";

interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
}

type Script = (sent: Sent) => Response | Promise<Response>;

const SITE = "https://laurel.example";
const PROBLEM = { "Content-Type": "application/problem+json" };
const answer = (status: number, body: object, headers: HeadersInit = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const done = ({ body }: Sent) =>
  answer(200, { status: "done", submission: "s", receipt: "r", player: "guest--ada", scores: body });
const failed = () => Promise.reject(new TypeError("Failed to fetch"));

/** Local storage as browsers have it: what is stored are its own properties. */
class FakeStorage {
  getItem(name: string): string | null {
    return (this as unknown as Record<string, string>)[name] ?? null;
  }
  setItem(name: string, text: string): void {
    (this as unknown as Record<string, string>)[name] = text;
  }
  removeItem(name: string): void {
    delete (this as unknown as Record<string, string>)[name];
  }
}

let sent: Sent[] = [];

beforeEach((test) => {
  sent = [];
  const context = test as TestContext;
  Object.defineProperty(globalThis, "localStorage", { value: new FakeStorage(), configurable: true, writable: true });
  context.mock.timers.enable({ apis: ["setTimeout"] });
  context.mock.method(Math, "random", () => 0.5);
});

/** Answer requests by these scripts in turn, the last one again and again. */
function serve(...scripts: readonly Script[]): void {
  let number = 0;
  mock.method(globalThis, "fetch", async (url: URL, { method = "GET", headers, body }: RequestInit) => {
    const request = {
      method,
      url,
      headers: new Headers(headers),
      body: typeof body === "string" ? JSON.parse(body) : null,
    };
    sent.push(request);
    return scripts[Math.min(number++, scripts.length - 1)]!(request);
  });
}

/** Let all that is due happen. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("a result is sent once, by its player, and answered with its scores", async () => {
  serve(done);
  const laurel = new Laurel(SITE, { benchmark: "run", player: "Ada Lovelace" });

  const { scores } = (await laurel.submit(
    { coins: 3 },
    { part: "level-1", label: undefined, ticket: "run_1" },
  )) as Answer;

  assert.deepEqual(scores, { coins: 3 });
  assert.deepEqual([laurel.id, laurel.waiting, sent.length], ["guest--ada", 0, 1]);
  const { method, url, headers } = sent[0]!;
  assert.equal(`${method} ${url}`, `POST ${SITE}/api/benchmarks/run/submissions?player=Ada+Lovelace&part=level-1`);
  assert.match(headers.get("Laurel-Player-Key")!, /^player_[0-9a-f]{32}$/);
  assert.match(headers.get("Idempotency-Key")!, /^[0-9a-f]{32}$/);
  assert.deepEqual([headers.get("Prefer"), headers.get("Laurel-Ticket")], ["wait=5", "run_1"]);
  assert.throws(() => (laurel.playerKey = "player_1"), TypeError);
});

for (const [what, script] of [
  ["no network", failed],
  ["503", () => answer(503, { message: "Service Unavailable" })],
  [
    "429",
    () => answer(429, { type: "urn:laurel:problem:quota-used", detail: "…" }, { ...PROBLEM, "Retry-After": "60" }),
  ],
  ["half an answer", () => new Response('{"status"')],
] as const) {
  test(`after ${what} a result waits, also for a page that is loaded again, and is sent with the same key`, async (context) => {
    serve(script, done);
    const laurel = new Laurel(SITE, { benchmark: "run", player: "Ada" });

    const waiting = await laurel.submit({ coins: 3 });
    assert.deepEqual([waiting.status, laurel.waiting], ["waiting", 1]);
    const first = context.mock.timers;
    first.tick(what === "429" ? 60_000 : 2_000); // never sooner than the site says
    await settle();
    assert.equal(sent.length, 1);
    first.tick(60_000);
    await settle();

    assert.equal(laurel.waiting, 0);
    assert.deepEqual([sent.length, sent[1]!.body], [2, { coins: 3 }]);
    for (const name of ["Idempotency-Key", "Laurel-Player-Key"])
      assert.equal(sent[1]!.headers.get(name), sent[0]!.headers.get(name));

    serve(script);
    await laurel.submit({ coins: 4 });
    serve(done);
    const again = new Laurel(SITE, { benchmark: "run" });
    await settle();
    assert.deepEqual([again.player, again.waiting, sent.at(-1)!.body], ["Ada", 0, { coins: 4 }]);
  });
}

test("a rejected result is dropped, and the next one is sent", async () => {
  const problem = { type: "urn:laurel:problem:ticket-expired", detail: "too late", errors: [{ detail: "too late" }] };
  serve(failed);
  const laurel = new Laurel(SITE, { benchmark: "run", player: "Ada" });
  const events: string[] = [];
  laurel.addEventListener("sent", (event) => events.push((event as CustomEvent<Answer>).detail.status));
  laurel.addEventListener("rejected", (event) => events.push((event as CustomEvent<LaurelError>).detail.type));
  await laurel.submit({ coins: 1 });
  await laurel.submit({ coins: 2 });
  assert.deepEqual([sent.length, laurel.waiting], [2, 2]); // the second one is not tried: the first one found no network

  sent = [];
  serve(() => answer(422, problem, PROBLEM), done);
  await laurel.flush();

  assert.deepEqual(events, ["ticket-expired", "done"]);
  assert.deepEqual([sent.map(({ body }) => body), laurel.waiting], [[{ coins: 1 }, { coins: 2 }], 0]);

  serve(() => answer(422, problem, PROBLEM));
  await assert.rejects(
    laurel.submit({ coins: 3 }),
    (error) => error instanceof LaurelError && error.message === "too late" && error.status === 422,
  );
  assert.deepEqual([events.length, laurel.waiting], [2, 0]); // who submitted it is told by the promise
});

test("a fault of the site with one result does not hold up the others", async () => {
  serve(failed);
  const laurel = new Laurel(SITE, { benchmark: "run", player: "Ada" });
  for (const coins of [1, 2, 3]) await laurel.submit({ coins });
  serve((request) => ((request.body as { coins: number }).coins === 2 ? answer(500, {}) : done(request)));

  await laurel.flush();

  assert.equal(laurel.waiting, 1);
});

test("the outbox is bounded in number and size: the oldest results go first, and are reported", async () => {
  serve(failed);
  const laurel = new Laurel(SITE, { benchmark: "run", player: "Ada" });
  const dropped: string[] = [];
  laurel.addEventListener("rejected", (event) => dropped.push((event as CustomEvent<LaurelError>).detail.type));
  for (let number = 0; number < 52; number++) await laurel.submit({ number });
  assert.deepEqual([laurel.waiting, dropped], [50, ["outbox-full", "outbox-full"]]);

  for (const text of ["x", "y"]) await laurel.submit({ text: text.repeat(600_000) });
  assert.equal(laurel.waiting, 1);
  await assert.rejects(laurel.submit({ text: "x".repeat(1_000_000) }), { status: 0 });

  sent = [];
  serve(done);
  await laurel.flush();
  assert.equal(sent.at(-1)!.body !== null && laurel.waiting, 0);
});

test("who submitted without a network is known as soon as the result has scores", async (context) => {
  const queued = { status: "queued", submission: "s", status_url: "/", receipt: "r" };
  serve(
    failed,
    () => answer(202, queued),
    () => answer(200, { status: "done", submission: "s", player: "guest--zoe" }),
  );
  const laurel = new Laurel(SITE, { benchmark: "later", player: "Zoe" });
  await laurel.submit({});
  await laurel.flush();
  assert.deepEqual([laurel.waiting, laurel.id], [0, null]);

  context.mock.timers.tick(2_000);
  await settle();

  assert.equal(laurel.id, "guest--zoe");
  laurel.player = "Ida"; // another name is another player
  assert.equal(laurel.id, null);
});

test("storage that is refused or full costs nothing but what is kept after the page", async () => {
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  Object.defineProperty(globalThis, "localStorage", { get: refuse, configurable: true });
  serve(failed, failed, done);
  const laurel = new Laurel(SITE, { benchmark: "refused", player: "Eve" });
  const key = laurel.playerKey;

  await laurel.submit({ coins: 1 });
  assert.deepEqual([laurel.waiting, laurel.playerKey, laurel.player], [1, key, "Eve"]);
  await laurel.flush();
  await laurel.flush();
  assert.deepEqual([laurel.waiting, sent.length, laurel.id], [0, 3, "guest--ada"]);
});

test("what is queued is asked for again, and a player without a row has no neighbours", async (context) => {
  const queued = { status: "queued", submission: "s", status_url: "/", receipt: "receipt_1" };
  serve(
    () => answer(202, queued),
    () => answer(200, { status: "done", submission: "s", scores: { Coins: 1 } }),
    () => answer(200, { rank: null, rows: [] }),
  );
  const laurel = new Laurel(SITE, { benchmark: "slow" });

  const submitted = laurel.submit({});
  await settle();
  context.mock.timers.tick(2_000);
  const got = (await submitted) as Answer;

  assert.deepEqual([got.scores, got.receipt], [{ Coins: 1 }, "receipt_1"]);
  assert.equal(sent[1]!.headers.get("Authorization"), "Bearer receipt_1");
  assert.equal(await laurel.around({ player: "guest--b", above: 1 }), null);
  assert.equal(sent[2]!.url.href, `${SITE}/api/benchmarks/slow/players/guest--b/around?above=1&below=3`);
  serve(() => answer(404, { detail: "no such benchmark" }, PROBLEM));
  await assert.rejects(laurel.board({ board: "daily" }), { type: "http", message: "no such benchmark" });
});

/** Reject a parameter of this value, and take the rest. */
const refuse =
  (type: string, field: string, value: string): Script =>
  (request) =>
    request.url.searchParams.get(field) === value
      ? answer(422, { type: `urn:laurel:problem:${type}`, detail: "no" }, PROBLEM)
      : done(request);

for (const type of ["invalid-player", "name-taken"]) {
  test(`a result under a name that the site rejects as ${type} is kept, reported, and sent under the next name`, async () => {
    serve(refuse(type, "player", "Heron\u202e"));
    const laurel = new Laurel(SITE, { benchmark: "run", player: "Heron\u202e" }); // a name must not stop the game
    const refused: string[] = [];
    laurel.addEventListener("refused", (event) => refused.push((event as CustomEvent<LaurelError>).detail.type));

    const waiting = await laurel.submit({ coins: 3 });
    await laurel.flush(); // it is not asked for again under the same name
    assert.deepEqual([waiting.status, laurel.waiting, refused, sent.length], ["waiting", 1, [type], 1]);
    const later = new Laurel(SITE, { benchmark: "run" });
    await settle();
    assert.deepEqual([later.player, later.waiting, sent.length], ["Heron\u202e", 1, 2]);

    later.player = "Ida";
    await later.flush();

    assert.deepEqual([later.waiting, sent.at(-1)!.body], [0, { coins: 3 }]);
    assert.equal(sent.at(-1)!.url.searchParams.get("player"), "Ida");
    const keys = sent.map(({ headers }) => headers.get("Idempotency-Key"));
    assert.equal(new Set(keys).size, 1);
  });
}

test("a name of which the site's rules say no is an error for the page, and the last name stays", () => {
  const laurel = new Laurel(SITE, { benchmark: "run", player: "Ada" });

  assert.throws(() => (laurel.player = "😎"), {
    type: "invalid-player",
    message: "expected at least one letter or digit",
  });
  assert.equal(laurel.player, "Ada");
  laurel.player = " Игрок №1\n";
  assert.equal(laurel.player, "Игрок No1");
  laurel.player = " ";
  assert.equal(laurel.player, null);
});

test("a result whose label the site rejects waits for another one, without a name for one", async () => {
  serve(refuse("invalid-label", "label", "car\u202e"));
  const laurel = new Laurel(SITE, { benchmark: "run", player: "Ada" });
  await laurel.submit({ coins: 1 }, { label: "car\u202e" });
  await laurel.flush();
  assert.deepEqual([laurel.waiting, sent.length], [1, 1]);
  await laurel.flush({ label: "red car" });
  assert.deepEqual([laurel.waiting, sent.at(-1)!.url.searchParams.get("label")], [0, "red car"]);

  laurel.player = null;
  serve((request) => refuse("invalid-label", request.url.searchParams.has("player") ? "" : "label", "car")(request));
  await laurel.submit({ coins: 2 }, { label: "car" });
  laurel.player = "Zoe";
  await laurel.flush();
  const { url, headers } = sent.at(-1)!;
  assert.equal(`${url.searchParams.get("player")} ${url.searchParams.get("label")}`, "Zoe car");
  assert.equal(headers.get("Laurel-Player-Key"), laurel.playerKey);
});

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 28);

/** Answer as a script does, at a moment by the site's clock. */
const at =
  (moment: number, script: Script): Script =>
  async (request) => {
    const response = await script(request);
    response.headers.set("Date", new Date(moment).toUTCString());
    return response;
  };

for (const [what, played, sentAt] of [
  ["at its last shutdown's time", NOW - 10 * DAY, NOW],
  ["in 1970", 0, NOW],
  ["ahead", NOW + 900 * DAY, NOW],
  ["right, and is now in 1970", NOW, 0],
] as const) {
  test(`a result that was played when the clock was ${what} is sent`, async (context) => {
    const clock = (context as TestContext).mock.method(Date, "now", () => played);
    serve(failed);
    await new Laurel(SITE, { benchmark: "cabinet", player: "Ada" }).submit({ coins: 1 });
    clock.mock.mockImplementation(() => sentAt);
    serve(at(NOW, done));

    const laurel = new Laurel(SITE, { benchmark: "cabinet" });
    await settle();

    assert.deepEqual([laurel.waiting, sent.at(-1)!.body], [0, { coins: 1 }]);
  });
}

test("what the site may have stored more than a week ago by its own clock is not sent again", async (context) => {
  const clock = (context as TestContext).mock.method(Date, "now", () => NOW);
  const ticks = (context as TestContext).mock.method(performance, "now", () => 0);
  serve(at(NOW, done), failed);
  const laurel = new Laurel(SITE, { benchmark: "late", player: "Ada" });
  await laurel.submit({ coins: 1 });
  await laurel.submit({ coins: 2 }); // perhaps only its answer is lost
  clock.mock.mockImplementation(() => 0); // whatever the device says then
  ticks.mock.mockImplementation(() => 5);
  sent = [];
  serve(at(NOW + 8 * DAY, done));

  const later = new Laurel(SITE, { benchmark: "late" });
  const dropped: string[] = [];
  later.addEventListener("rejected", (event) => dropped.push((event as CustomEvent<LaurelError>).detail.type));
  await settle();

  assert.deepEqual([dropped, later.waiting, sent.map(({ method }) => method)], [["too-old"], 0, ["GET"]]);
});

test("what never left the device is sent whenever the site is reached", async (context) => {
  const clock = (context as TestContext).mock.method(Date, "now", () => NOW);
  const navigator = { onLine: false };
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
  context.after(() => Reflect.deleteProperty(globalThis, "navigator"));
  serve(failed);
  const laurel = new Laurel(SITE, { benchmark: "holiday", player: "Ada" });
  await laurel.submit({ coins: 1 });
  serve(done);
  clock.mock.mockImplementation(() => NOW + 30 * DAY);
  navigator.onLine = true;

  await laurel.flush();

  assert.deepEqual([laurel.waiting, sent.length], [0, 2]);
});

test("a machine without a network plays against a site of its own", async (context) => {
  Object.defineProperty(globalThis, "navigator", { value: { onLine: false }, configurable: true });
  context.after(() => Reflect.deleteProperty(globalThis, "navigator"));
  serve(done);
  const { status } = await new Laurel("http://localhost:8000", { benchmark: "booth", player: "Ada" }).submit({});

  assert.equal(status, "done");
});

for (const [what, wall] of [
  ["in 1970", 0],
  ["nine days behind", NOW - 9 * DAY],
] as const) {
  test(`a result waits on a page whose clock was ${what}, and is sent after the clock is set`, async (context) => {
    const clock = (context as TestContext).mock.method(Date, "now", () => wall);
    serve(at(NOW, done), failed);
    const laurel = new Laurel(SITE, { benchmark: "set", player: "Ada" });
    await laurel.submit({ coins: 1 });
    await laurel.submit({ coins: 2 });
    clock.mock.mockImplementation(() => NOW);
    sent = [];
    serve(at(NOW, done));

    await laurel.flush();

    assert.deepEqual([laurel.waiting, sent.at(-1)!.body], [0, { coins: 2 }]);
  });
}

for (const [status, text] of [
  [403, "<h1>Log in to the hotel's network</h1>"],
  [404, '{"message":"Not Found"}'],
  [413, "<h1>413 Request Entity Too Large</h1>"],
] as const) {
  test(`a result waits while something before the site answers ${status}`, async () => {
    serve(() => new Response(text, { status }), done);
    const laurel = new Laurel(SITE, { benchmark: "portal", player: "Ada" });

    const { status: became } = await laurel.submit({ coins: 1 });
    await laurel.flush();

    assert.deepEqual([became, laurel.waiting, sent.length], ["waiting", 0, 2]);
  });
}

test("storage that fills up while a result is sent holds it once", async ({ mock }) => {
  const { setItem } = FakeStorage.prototype;
  mock.method(FakeStorage.prototype, "setItem", function (this: FakeStorage, name: string, text: string) {
    if (text.includes("tried")) throw new DOMException("full", "QuotaExceededError");
    setItem.call(this, name, text);
  });
  serve(at(NOW, done), failed);
  const laurel = new Laurel(SITE, { benchmark: "full", player: "Ada" });
  await laurel.submit({ coins: 1 });

  await laurel.submit({ coins: 2 });

  assert.equal(laurel.waiting, 1);
});

test("what waits stays in order when a clock that was ahead is set, and the page is loaded again", async (context) => {
  const clock = (context as TestContext).mock.method(Date, "now", () => NOW + 900 * DAY);
  serve(failed);
  const laurel = new Laurel(SITE, { benchmark: "order", player: "Ada" });
  for (const coins of [1, 2]) await laurel.submit({ coins });
  clock.mock.mockImplementation(() => NOW);
  const kit = "../../../sdk/laurel.js?loaded-again";
  const again = new ((await import(kit)) as { Laurel: typeof Laurel }).Laurel(SITE, { benchmark: "order" });
  await again.submit({ coins: 3 });
  sent = [];
  serve(done);

  await again.flush();

  assert.deepEqual(
    sent.map(({ body }) => body),
    [1, 2, 3].map((coins) => ({ coins })),
  );
});
