/** The game itself: levels, movement and drawing. It knows nothing of boards. */

const TOP_SPEED = 8; // tiles per second
const REACH = 0.5; // tiles
const DEPTH = 0.2; // tiles
const TICK = 20; // milliseconds
const LONGEST = 120_000; // milliseconds
const STEP = (TOP_SPEED * TICK) / 1000; // tiles
const UNIT = 1000; // positions are whole thousandths of a tile, so a sent run has the very numbers that were played
const ROUNDING = 1e-9;
const STILL = 16; // pixels of a drag that steer neither up nor down
const STEERING = 80; // pixels of a drag that turn a runner by 45°

/** The ground of each level, a place at each tile. */
const GROUNDS = {
  "level-1": makeGround(() => 0),
  "level-2": makeGround((x) => 2 * Math.floor(x / 10)),
  "level-3": makeGround((x) => Math.round(500 * Math.sin(x / 5)) / 100),
};

/** The coins of each level, as benchmarks/coin-run/truth.json has them: on the ground, and in arcs above it. */
export const LEVELS = Object.fromEntries(Object.entries(GROUNDS).map(([level, ground]) => [level, ground.map(raise)]));

function makeGround(height) {
  return Array.from({ length: 100 }, (_, index) => [index + 1, height(index + 1)]);
}

/** Return the coin above a place of the ground: every twenty tiles five are in an arc, which is up to three tiles high. */
function raise([x, y]) {
  return [x, Math.round(100 * (y + Math.max(0, 3 - Math.abs((x % 20) - 15)))) / 100];
}

/** Return the lowest place of a runner at a distance, both in tiles: a little below the coins, where it still takes them. */
function findFloor(ground, x) {
  if (x <= 0 || x >= ground.length) return (x <= 0 ? 0 : ground.at(-1)[1]) - DEPTH;
  const before = Math.floor(x);
  const [low, high] = [before === 0 ? 0 : ground[before - 1][1], ground[before][1]];
  return low + (x - before) * (high - low) - DEPTH;
}

/** Return whether the way from one place to another passes a coin, as evaluate.py decides it. */
function passes([x, y], [startX, startY], [endX, endY]) {
  const [wayX, wayY] = [endX - startX, endY - startY];
  const length = Math.max(wayX ** 2 + wayY ** 2, ROUNDING);
  const along = Math.min(1, Math.max(0, ((x - startX) * wayX + (y - startY) * wayY) / length));
  return Math.hypot(x - (startX + along * wayX), y - (startY + along * wayY)) <= REACH + ROUNDING;
}

/** Return the coins that a run passes. */
export function collect(coins, frames) {
  const places = frames.map(([, x, y]) => [x, y]);
  return coins.filter((coin) => places.some((place, index) => index > 0 && passes(coin, places[index - 1], place)));
}

/** Return where a recorded run is at a time, in seconds. */
function placeAt(frames, seconds) {
  const time = frames[0][0] + seconds;
  const after = frames.findIndex(([at]) => at > time);
  if (after < 0) return frames.at(-1).slice(1);
  if (after === 0) return frames[0].slice(1);
  const [[t0, x0, y0], [t1, x1, y1]] = [frames[after - 1], frames[after]];
  const part = (time - t0) / (t1 - t0);
  return [x0 + part * (x1 - x0), y0 + part * (y1 - y0)];
}

export class Game {
  /** Called with the coins and the seconds while a run goes on. */
  onChange = () => {};
  /** Called at the end of a run with what to submit, its coins and its seconds. */
  onEnd = () => {};
  #canvas;
  #pen;
  #colours = {};
  #level = "level-1";
  #ground = GROUNDS["level-1"];
  #coins = LEVELS["level-1"];
  #taken = new Set();
  #frames = [];
  #ticks = 0;
  #place = [0, 0];
  #view = [0, 0];
  #isRunning = false;
  #keys = new Set();
  #drag = null;
  #ghost = null;
  #late = 0;
  #last = null;
  #isAwake = false;
  #sparks = [];

  constructor(canvas) {
    this.#canvas = canvas;
    this.#pen = canvas.getContext("2d");
    this.#listen();
    const look = () => {
      this.#readColours();
      this.#wake();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", look);
    new ResizeObserver(() => this.#wake()).observe(canvas);
    look();
  }

  /** The frames of a run to race. */
  get ghost() {
    return this.#ghost;
  }

  set ghost(frames) {
    this.#ghost = frames;
    this.#wake();
  }

  /** Show the start of a level. */
  show(level) {
    this.#level = level;
    this.#ground = GROUNDS[level];
    this.#coins = LEVELS[level];
    this.#taken = new Set();
    this.#frames = [[0, 0, 0]];
    this.#ticks = 0;
    this.#place = [0, 0];
    this.#view = [4, 1];
    this.#sparks = [];
    this.#isRunning = false;
    this.#wake();
    this.onChange(0, 0);
  }

  /** Begin a run: its time begins with the first step. */
  start(level) {
    this.show(level);
    this.#isRunning = true;
  }

  #listen() {
    const canvas = this.#canvas;
    addEventListener("keydown", (event) => {
      if (event.target.tagName === "INPUT") return;
      this.#keys.add(event.code);
      if (this.#isRunning && event.code.startsWith("Arrow")) event.preventDefault();
    });
    addEventListener("keyup", (event) => this.#keys.delete(event.code));
    addEventListener("blur", () => this.#keys.clear());
    // The finger that came last steers; another one that moves or leaves changes nothing.
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#drag = { id: event.pointerId, x: event.clientX, y: event.clientY, dx: 0, dy: 0 };
    });
    canvas.addEventListener("pointermove", (event) => {
      const drag = this.#drag;
      if (drag?.id === event.pointerId) Object.assign(drag, { dx: event.clientX - drag.x, dy: event.clientY - drag.y });
    });
    const leave = (event) => {
      if (this.#drag?.id === event.pointerId) this.#drag = null;
    };
    for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, leave);
  }

  /** Return where the player steers. */
  #steer() {
    if (this.#drag) return [STEERING + this.#drag.dx, Math.abs(this.#drag.dy) < STILL ? 0 : -this.#drag.dy];
    const isHeld = (...codes) => Number(codes.some((code) => this.#keys.has(code)));
    return [isHeld("ArrowRight", "KeyD") - isHeld("ArrowLeft", "KeyA"), isHeld("ArrowUp", "KeyW") - isHeld("ArrowDown", "KeyS")];
  }

  #step() {
    const [x, y] = this.#steer();
    const length = Math.hypot(x, y);
    if (this.#ticks === 0 && length === 0) return; // the clock starts with the runner
    // Rounded towards standing still: a step is never longer than a runner can do.
    const move = (way) => (length ? Math.trunc(((way / length) * STEP + Math.sign(way) * 1e-12) * UNIT) : 0);
    const before = this.#place;
    const place = this.#land(before, move(x), y === 0 ? -STEP * UNIT : move(y)); // a runner falls unless it steers up
    this.#place = place;
    this.#ticks++;
    this.#record();
    const tiles = ([px, py]) => [px / UNIT, py / UNIT];
    this.#coins.forEach((coin, index) => {
      if (this.#taken.has(index) || !passes(coin, tiles(before), tiles(place))) return;
      this.#taken.add(index);
      this.#sparks.push({ coin, at: this.#ticks });
    });
    this.onChange(this.#taken.size, (this.#ticks * TICK) / 1000);
    if (this.#taken.size === this.#coins.length || place[0] >= 101 * UNIT || this.#ticks * TICK >= LONGEST) this.#end();
  }

  /** Return where a step ends: on the ground or above. Uphill it gets less far, for it is no longer than others. */
  #land([x, y], wayX, wayY) {
    for (let part = 1; part > 0; part -= 1 / 32) {
      const endX = x + Math.trunc(wayX * part);
      const endY = Math.max(y + Math.trunc(wayY * part), Math.ceil(findFloor(this.#ground, endX / UNIT) * UNIT));
      if (Math.hypot(endX - x, endY - y) <= STEP * UNIT) return [endX, endY];
    }
    return [x, y];
  }

  /** Record a frame; while the runner keeps its course, the last frame moves on. */
  #record() {
    const frames = this.#frames;
    const frame = [(this.#ticks * TICK) / 1000, this.#place[0] / UNIT, this.#place[1] / UNIT];
    const way = (a, b) => `${Math.round((b[1] - a[1]) * UNIT) / Math.round((b[0] - a[0]) * 50)},${Math.round((b[2] - a[2]) * UNIT) / Math.round((b[0] - a[0]) * 50)}`;
    if (frames.length > 1 && way(frames.at(-2), frames.at(-1)) === way(frames.at(-1), frame)) frames.pop();
    frames.push(frame);
  }

  #end() {
    this.#isRunning = false;
    this.#drag = null;
    this.#sparks = [];
    const frames = this.#frames;
    const coins = collect(this.#coins, frames).length;
    this.onEnd({ level: this.#level, frames }, coins, frames.at(-1)[0] - frames[0][0]);
  }

  #readColours() {
    const style = getComputedStyle(document.documentElement);
    const probe = document.createElement("i");
    document.body.append(probe);
    for (const name of ["sky", "haze", "hill", "near-hill", "soil", "grass", "coin", "coin-edge", "runner", "skin", "ghost", "text", "line"]) {
      probe.style.color = style.getPropertyValue(`--${name}`);
      this.#colours[name] = getComputedStyle(probe).color;
    }
    probe.remove();
  }

  /** Paint until nothing moves any more: a game at rest costs no battery. */
  #wake() {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#last = null;
    requestAnimationFrame((now) => this.#paint(now));
  }

  #paint(now) {
    this.#late = Math.min(250, this.#late + now - (this.#last ?? now));
    this.#last = now;
    while (this.#late >= TICK) {
      this.#late -= TICK;
      if (this.#isRunning) this.#step();
    }
    const before = this.#view.slice();
    this.#draw(now);
    const hasMoved = Math.hypot(this.#view[0] - before[0], this.#view[1] - before[1]) > 1 / UNIT;
    this.#isAwake = this.#isRunning || hasMoved;
    if (this.#isAwake) requestAnimationFrame((next) => this.#paint(next));
  }

  #draw(now) {
    const { width, height } = this.#canvas.getBoundingClientRect();
    const scale = devicePixelRatio;
    const size = [Math.round(width * scale), Math.round(height * scale)];
    if (this.#canvas.width !== size[0] || this.#canvas.height !== size[1]) [this.#canvas.width, this.#canvas.height] = size;
    const tile = Math.min(width / 13, height / 9);
    const [x, y] = [this.#place[0] / UNIT, this.#place[1] / UNIT];
    const ahead = Math.min(4, width / tile / 4);
    this.#view[0] += (x + ahead - this.#view[0]) * 0.12;
    this.#view[1] += (y + 0.6 - this.#view[1]) * 0.08;
    const pen = this.#pen;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.#drawSky(width, height, tile);
    pen.translate(width / 2, height / 2);
    pen.scale(tile, -tile);
    pen.translate(-this.#view[0], -this.#view[1]);
    this.#drawGround(height / tile);
    this.#drawCoins(now, width / tile);
    const seconds = (this.#ticks * TICK) / 1000;
    const moving = this.#steer().some(Boolean) && this.#isRunning;
    if (this.ghost) this.#drawRunner(...placeAt(this.ghost, seconds), now, this.#colours.ghost, this.#isRunning && this.#ticks > 0, 0.45);
    this.#drawRunner(x, y, now, this.#colours.runner, moving, 1);
  }

  #drawSky(width, height, tile) {
    const pen = this.#pen;
    const sky = pen.createLinearGradient(0, 0, 0, height);
    sky.addColorStop(0, this.#colours.sky);
    sky.addColorStop(1, this.#colours.haze);
    pen.fillStyle = sky;
    pen.fillRect(0, 0, width, height);
    for (const [colour, pace, base, swing] of [["hill", 0.15, 0.52, 1.3], ["near-hill", 0.35, 0.68, 0.9]]) {
      pen.fillStyle = this.#colours[colour];
      pen.beginPath();
      pen.moveTo(0, height);
      for (let px = 0; px <= width + 8; px += 8) {
        const at = px / tile + this.#view[0] * pace;
        const rise = Math.sin(at * 0.42) * swing + Math.sin(at * 0.17 + 2) * swing;
        pen.lineTo(px, height * base - rise * tile * 0.5 + this.#view[1] * pace * tile * 0.4);
      }
      pen.lineTo(width, height);
      pen.fill();
    }
  }

  /** Draw the ground, and the flag at its end. */
  #drawGround(tiles) {
    const pen = this.#pen;
    const below = this.#view[1] - tiles;
    const surface = [[-20, 0], [0, 0], ...this.#ground, [125, this.#ground.at(-1)[1]]];
    pen.beginPath();
    pen.moveTo(-20, below);
    for (const [x, y] of surface) pen.lineTo(x, y - DEPTH - 0.52);
    pen.lineTo(125, below);
    pen.fillStyle = this.#colours.soil;
    pen.fill();
    pen.beginPath();
    for (const [x, y] of surface) pen.lineTo(x, y - DEPTH - 0.58);
    pen.strokeStyle = this.#colours.grass;
    pen.lineWidth = 0.2;
    pen.lineJoin = "round";
    pen.stroke();
    const [x, y] = this.#ground.at(-1);
    pen.lineWidth = 0.09;
    pen.strokeStyle = this.#colours.text;
    pen.beginPath();
    pen.moveTo(x + 0.9, y - 0.6);
    pen.lineTo(x + 0.9, y + 2.2);
    pen.stroke();
    pen.fillStyle = this.#colours.runner;
    pen.beginPath();
    pen.moveTo(x + 0.9, y + 2.2);
    pen.lineTo(x + 2.1, y + 1.8);
    pen.lineTo(x + 0.9, y + 1.4);
    pen.fill();
  }

  #drawCoins(now, tiles) {
    const pen = this.#pen;
    pen.lineWidth = 0.07;
    for (const [index, [x, y]] of this.#coins.entries()) {
      if (this.#taken.has(index) || Math.abs(x - this.#view[0]) > tiles) continue;
      const turn = Math.abs(Math.cos(now / 420 + x * 0.6)) * 0.75 + 0.25;
      pen.beginPath();
      pen.ellipse(x, y, 0.25 * turn, 0.25, 0, 0, 2 * Math.PI);
      pen.fillStyle = this.#colours.coin;
      pen.strokeStyle = this.#colours["coin-edge"];
      pen.fill();
      pen.stroke();
    }
    this.#sparks = this.#sparks.filter(({ at }) => this.#ticks - at < 18);
    for (const { coin, at } of this.#sparks) {
      const age = (this.#ticks - at) / 18;
      pen.globalAlpha = 1 - age;
      pen.strokeStyle = this.#colours.coin;
      pen.beginPath();
      pen.arc(coin[0], coin[1] + age * 0.4, 0.25 + age * 0.5, 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  #drawRunner(x, y, now, colour, isMoving, opacity) {
    const pen = this.#pen;
    pen.save();
    pen.globalAlpha = opacity;
    pen.translate(x, y + (isMoving ? Math.abs(Math.sin(now / 70)) * 0.06 : 0));
    pen.lineCap = "round";
    pen.lineWidth = 0.13;
    pen.strokeStyle = colour;
    const swing = isMoving ? Math.sin(now / 70) * 0.24 : 0.08;
    for (const side of [1, -1]) {
      pen.beginPath();
      pen.moveTo(0, -0.2);
      pen.lineTo(swing * side, -0.52);
      pen.stroke();
    }
    pen.fillStyle = colour;
    pen.beginPath();
    pen.roundRect(-0.2, -0.3, 0.4, 0.5, 0.16);
    pen.fill();
    pen.fillStyle = this.#colours.skin;
    pen.beginPath();
    pen.arc(0.04, 0.34, 0.2, 0, 2 * Math.PI);
    pen.fill();
    pen.strokeStyle = colour;
    pen.beginPath();
    pen.moveTo(-0.15, 0.42);
    pen.lineTo(0.24, 0.46);
    pen.moveTo(-0.15, 0.42);
    pen.lineTo(-0.42, 0.4 + swing * 0.4);
    pen.stroke();
    pen.fillStyle = "#14201a";
    pen.beginPath();
    pen.arc(0.13, 0.33, 0.035, 0, 2 * Math.PI);
    pen.fill();
    pen.restore();
  }
}
