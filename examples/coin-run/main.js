/** Joins Coin Run with its board: every line that has `laurel` or `board` in it. The game itself is in game.js. */

import { Laurel } from "https://laurel.example/sdk/laurel.js";

import { Game } from "./game.js";

const SITE = "https://laurel.example";
const laurel = new Laurel(SITE, { benchmark: "coin-run" });
const element = (id) => document.getElementById(id);
const board = document.querySelector("laurel-board");
const buttons = [...document.querySelectorAll("[data-level]")];
const game = new Game(element("canvas"));
const intro = element("result").textContent;
let level = "level-1";

game.onChange = (coins, seconds) => {
  element("coins").textContent = coins;
  element("time").textContent = seconds.toFixed(2);
};

game.onEnd = async (run, coins, seconds) => {
  const words = `${coins} coins in ${seconds.toFixed(2)} s.`;
  keepGhost(run, coins, seconds);
  element("play").textContent = "Play again";
  element("panel").hidden = false;
  show(`${words} Sending …`);
  try {
    const answer = await laurel.submit(run, { part: run.level });
    show(`${words} ${describe(answer)}`);
  } catch (error) {
    show(`${words} ${error.message}`);
  }
  showWaiting();
};

/** Say what became of a run. */
function describe(answer) {
  if (answer.error?.status === 422) return `It is kept until you enter another name: ${answer.error.message}.`;
  if (answer.status === "waiting") return "It is kept, and sent when the site can be reached.";
  if (answer.outcome === "invalid") return answer.message;
  if (answer.outcome !== "scored") return "The board will show it soon.";
  if (answer.would_rank) return "It is on no board: enter a name before the next run.";
  const rank = answer.part_rank?.rank ?? answer.rank;
  const best = answer.personal_best?.is_new ? "Your best so far! " : "";
  return rank ? `${best}Rank ${rank} of ${answer.part_rank?.players ?? answer.players}.` : best;
}

/** Show a text in the panel, which an answer that comes during the next run does not open. */
function show(text) {
  element("result").textContent = text;
}

function showWaiting() {
  const count = laurel.waiting;
  element("offline").hidden = count === 0 && navigator.onLine;
  element("offline").textContent = count ? `${count} ${count === 1 ? "run waits" : "runs wait"} to be sent` : "No network";
}

function play() {
  element("panel").hidden = true;
  element("canvas").focus();
  game.start(level);
}

/**
 * Choose a level, and whom to race there: the board's best run if it is public, else the own one of this browser.
 *
 * A run that goes on ends without a result.
 */
async function choose(chosen) {
  level = chosen;
  if (element("panel").hidden) show(intro);
  element("panel").hidden = false;
  for (const button of buttons) button.ariaPressed = String(button.dataset.level === level);
  board.setAttribute("board", level);
  game.show(level);
  game.ghost = readGhost(level)?.run.frames ?? null;
  try {
    const frames = await readBest(level);
    if (frames && level === chosen) game.ghost = frames;
  } catch {
    // Without a network, or if the run went a moment ago, the own ghost stays.
  }
}

/** Return the frames of the best run of a level; null if there is none. The benchmark says `results: public`. */
async function readBest(part) {
  const read = async (path) => (await fetch(`${SITE}/api/benchmarks/coin-run${path}`)).json();
  const { rows } = await read(`/rows?board=${part}&limit=1`);
  return rows.length ? (await read(`/submissions/${rows[0].submission}/result`)).frames : null;
}

function keepGhost(run, coins, seconds) {
  const best = readGhost(run.level);
  if (best && (best.coins > coins || (best.coins === coins && best.seconds <= seconds))) return;
  game.ghost ??= run.frames;
  try {
    localStorage.setItem(`ghost:${run.level}`, JSON.stringify({ run, coins, seconds }));
  } catch {
    // Without storage the next visit begins without a ghost.
  }
}

function readGhost(name) {
  try {
    return JSON.parse(localStorage.getItem(`ghost:${name}`));
  } catch {
    return null;
  }
}

element("name").value = laurel.player ?? "";
element("key").value = laurel.playerKey;
for (const [field, property] of [["name", "player"], ["key", "playerKey"]])
  element(field).addEventListener("change", ({ target }) => {
    let fault = "";
    try {
      laurel[property] = target.value.trim();
    } catch ({ message }) {
      fault = message;
    }
    target.setCustomValidity(fault);
    if (target.reportValidity()) laurel.flush();
  });
element("play").addEventListener("click", play);
for (const button of buttons) button.addEventListener("click", () => choose(button.dataset.level));
addEventListener("keydown", (event) => {
  if (event.code === "Escape" && element("panel").hidden) choose(level);
  if (event.code === "Space" && !element("panel").hidden && event.target.tagName !== "INPUT" && event.target.tagName !== "BUTTON") play();
});
for (const type of ["online", "offline"]) addEventListener(type, showWaiting);
for (const type of ["sent", "rejected"]) laurel.addEventListener(type, showWaiting);
showWaiting();
choose(level);
