// One search: its methods, its figures, its path; and the replay.

import { app, column, element, grouped, on, redraw, row, say, time } from "./app.js";
import { camera, screenX, screenY } from "./camera.js";
import { colours, mix, pixel } from "./colours.js";
import { ask, isOpen } from "./connection.js";
import { methodChoice } from "./methods.js";

const STEP = 0x80000000;
const MAX_SIDE = 2048;
const PATIENCE = 400; // milliseconds; a search that takes longer, or waits for its index, is given up for a later one
const found = [null, null];
let choices = [];
let boxes = [];
let number = 0;
let oldest = 0;   // searches before this one were on another map
let waiting = [0, 0];
let again = false;
let askedAt = 0;
let later = null;
const replay = { at: 0, total: 0, plays: false };

on("hello", () => {
  const before = choices.map((choice) => choice.spec());
  element("methods").replaceChildren();
  boxes = [0, 1].map(() => document.createElement("div"));
  element("methods").append(...boxes);
  choices = ["waypost", "astar"].map((spec, slot) => {
    const name = slot ? "Second method" : "Method";
    return methodChoice(boxes[slot], name, before[slot] ?? spec, search, colours.paths[slot]);
  });
  boxes[1].hidden = !element("versus").checked;
});
on("theme", () => {
  boxes.forEach((box, slot) => box.style.setProperty("--of", colours.paths[slot]));
  found.forEach((one) => { if (one) one.painted = null; });
});
on("map", (map) => {
  found[0] = found[1] = null;
  forget();
  oldest = number + 1;
  app.ends = { from: map.from, goal: map.goal };
  show();
});
on("ready", () => search());
on("drawn", () => search());
on("renewed", () => search());

export const setMethod = (slot, spec) => {
  if (slot === 1) setVersus(true);
  choices[slot].set(spec);
};
export const specs = () => (element("versus").checked ? [choices[0].spec(), choices[1].spec()] : [choices[0].spec()]);
export const lastFound = () => found;

// Asks again; while an answer is due, once more when it has come or takes long.
export function search() {
  if (!app.ready || !isOpen()) return;
  clearTimeout(later);
  const wait = askedAt + PATIENCE - performance.now();
  if (waiting.some((turn) => turn > 0) && wait > 0) {
    again = true;
    later = setTimeout(() => { if (again) search(); }, wait);
    return;
  }
  again = false;
  askedAt = performance.now();
  const slots = element("versus").checked ? [0, 1] : [0];
  for (const slot of slots) {
    number += 1;
    waiting[slot] = number;
    ask("search", { number, slot, spec: choices[slot].spec(), from: app.ends.from, goal: app.ends.goal });
  }
}

on("found", ({ facts, numbers }) => {
  if (facts.number < oldest) return;
  if (facts.number === waiting[facts.slot]) waiting[facts.slot] = 0;
  const all = numbers();
  const path = all.subarray(0, facts.path);
  const events = all.subarray(facts.path, facts.path + facts.events);
  found[facts.slot] = { facts, path, events, painted: null };
  if (!element("versus").checked) found[1] = null;
  replay.total = Math.max(0, ...found.map((one) => one?.events.length ?? 0));
  if (!replay.plays) replay.at = replay.total;
  show();
  tellLater();
  redraw("overlay");
  if (again && !waiting.some((turn) => turn > 0)) {
    again = false;
    search();
  }
});
on("closed", forget);
on("trouble", forget);

// No answer is due any more.
function forget() {
  waiting = [0, 0];
  again = false;
}

// Says what was found, once nothing more comes.
let telling = null;
function tellLater() {
  clearTimeout(telling);
  telling = setTimeout(() => {
    const shown = found.filter(Boolean).map(({ facts }) => facts);
    say(shown.map((f) => f.words || `${f.spec}: ${f.length.toFixed(2)} long, shortest ${f.optimal.toFixed(2)}, ${time(f.micros)}`).join("; "));
  }, 400);
}

const ROWS = [
  ["length", (f) => f.length.toFixed(2), (f) => f.length],
  ["shortest", (f) => f.optimal.toFixed(2)],
  ["longer by", (f) => `${Math.max(0, (f.length / f.optimal - 1) * 100 || 0).toFixed(2)} %`],
  ["moves", (f) => grouped(f.moves)],
  ["time", (f) => time(f.micros), (f) => f.micros],
  ["slowest move", (f) => time(f["slowest-micros"]), (f) => f["slowest-micros"]],
  ["cells looked at", (f) => grouped(f.expansions)],
  ["operations", (f) => grouped(f.operations), (f) => f.operations],
  ["operations of the worst move", (f) => grouped(f["worst-move"]), (f) => f["worst-move"]],
  ["published bound of a move", (f) => (f.bound === null ? "none" : grouped(f.bound))],
];

function show() {
  const shown = found.filter(Boolean);
  const body = element("results").tBodies[0];
  body.replaceChildren();
  const line = (cells, tag = "td") => {
    const tr = document.createElement("tr");
    for (const [text, better] of cells) {
      const cell = document.createElement(tag);
      cell.textContent = text;
      if (better) cell.className = "better";
      tr.append(cell);
    }
    body.append(tr);
  };
  if (shown.length > 0) line([["", false], ...shown.map((one) => [one.facts.spec, false])], "th");
  const words = shown.map((one) => one.facts.words).filter(Boolean);
  element("search-words").textContent = [...new Set(words)].join(" ");
  const ok = (one) => one.facts.path > 0;
  for (const [name, written, value] of shown.some(ok) ? ROWS : []) {
    const best = value && shown.length > 1 ? Math.min(...shown.filter(ok).map((one) => value(one.facts))) : NaN;
    line([[name, false], ...shown.map((one) => (ok(one) ? [written(one.facts), value?.(one.facts) === best] : ["–", false]))]);
  }
  element("results").dataset.length = found[0]?.facts.length ?? "";
  element("replay").hidden = replay.total === 0 || shown.length === 0;
  showTime();
}

function showTime() {
  const bar = element("replay-time");
  bar.max = replay.total;
  bar.value = replay.at;
  element("replay-at").textContent = `${grouped(replay.at)} / ${grouped(replay.total)}`;
  element("replay-play").textContent = replay.plays ? "⏸" : "▶";
}

export function setTime(at) {
  replay.at = Math.min(replay.total, Math.max(0, at));
  showTime();
  redraw("overlay");
}

export function playReplay(plays = !replay.plays) {
  if (plays && replay.at >= replay.total) replay.at = 0;
  replay.plays = plays;
  showTime();
  redraw("overlay");
}

export function stepReplay(by) {
  replay.plays = false;
  setTime(replay.at + by);
}

// Carries the replay on by one frame; says whether it is still under way.
export function carryOn() {
  if (!replay.plays) return false;
  const speed = element("replay-speed").value;
  const by = speed === "one" ? 1 : Math.max(1, Math.round(replay.total / 360 * Number(speed)));
  setTime(replay.at + by);
  if (replay.at >= replay.total) playReplay(false);
  return true;
}

// The picture of what a search has looked at up to a time; painted further where it can be.
function paint(one, slot) {
  const at = Math.min(replay.at, one.events.length);
  if (!one.painted || one.painted.at > at) one.painted = blank(one);
  const { painted, events } = one;
  const [early, late] = colours.searched[slot];
  const shades = Array.from({ length: 32 }, (_, i) => pixel(mix(early, late, i / 31), 190));
  for (let i = painted.at; i < at; i += 1) {
    const cell = (events[i] & ~STEP) >>> 0;
    if (events[i] & STEP) {
      painted.agent = cell;
      continue;
    }
    const x = Math.floor((column(cell) - painted.x) / painted.factor);
    const y = Math.floor((row(cell) - painted.y) / painted.factor);
    painted.pixels[y * painted.image.width + x] = shades[Math.floor(i / events.length * 31.99)];
  }
  if (painted.at !== at) {
    painted.at = at;
    painted.canvas.getContext("2d").putImageData(painted.image, 0, 0);
  }
  return painted;
}

function blank({ events }) {
  let [x0, y0, x1, y1] = [Infinity, Infinity, 0, 0];
  for (const event of events) {
    const cell = (event & ~STEP) >>> 0;
    const [x, y] = [column(cell), row(cell)];
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
  }
  const factor = Math.max(1, Math.ceil(Math.max(x1 - x0, y1 - y0) / MAX_SIDE));
  const [width, height] = [Math.floor((x1 - x0) / factor) + 1, Math.floor((y1 - y0) / factor) + 1];
  const image = new ImageData(width, height);
  const canvas = new OffscreenCanvas(width, height);
  return { x: x0, y: y0, factor, image, canvas, pixels: new Uint32Array(image.data.buffer), at: 0, agent: null };
}

// What was looked at.
export function drawSearched(context) {
  found.forEach((one, slot) => {
    if (!one || one.events.length === 0) return;
    const painted = paint(one, slot);
    context.imageSmoothingEnabled = camera.scale < 1;
    const size = painted.factor * camera.scale;
    context.drawImage(painted.canvas, screenX(painted.x), screenY(painted.y), painted.image.width * size, painted.image.height * size);
  });
}

// Paths and ends.
export function drawPaths(context) {
  found.forEach((one, slot) => { if (one) drawPath(context, one, slot); });
  drawEnd(context, app.ends.from, "S", colours.start, false);
  drawEnd(context, app.ends.goal, "G", colours.goal, true);
}

function drawPath(context, one, slot) {
  const { path, painted } = one;
  if (path.length === 0) return;
  const trace = () => {
    context.beginPath();
    path.forEach((cell, i) => {
      const [x, y] = [screenX(column(cell) + 0.5), screenY(row(cell) + 0.5)];
      if (i === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    });
    context.stroke();
  };
  const isOver = replay.at >= replay.total;
  context.lineJoin = context.lineCap = "round";
  context.globalAlpha = isOver ? 1 : 0.35;
  const width = Math.min(7, Math.max(2.5, camera.scale * 0.3));
  context.setLineDash(slot ? [10, 7] : []);
  context.strokeStyle = colours.halo;
  context.lineWidth = width + 2.5;
  trace();
  context.strokeStyle = colours.paths[slot];
  context.lineWidth = width;
  trace();
  context.setLineDash([]);
  context.globalAlpha = 1;
  if (!isOver && painted?.agent !== null && painted) {
    context.fillStyle = colours.paths[slot];
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(screenX(column(painted.agent) + 0.5), screenY(row(painted.agent) + 0.5), Math.max(5, camera.scale * 0.45), 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}

function drawEnd(context, [x, y], letter, colour, diamond) {
  const [px, py] = [screenX(x + 0.5), screenY(y + 0.5)];
  const size = 11;
  context.fillStyle = colour;
  context.strokeStyle = colours.halo;
  context.lineWidth = 3;
  context.beginPath();
  if (diamond) {
    context.moveTo(px, py - size - 2);
    context.lineTo(px + size + 2, py);
    context.lineTo(px, py + size + 2);
    context.lineTo(px - size - 2, py);
    context.closePath();
  } else context.arc(px, py, size, 0, 2 * Math.PI);
  context.stroke();
  context.fill();
  context.fillStyle = app.theme === "dark" ? "#07130f" : "#ffffff";
  context.font = "bold 12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(letter, px, py + 0.5);
  context.textBaseline = "alphabetic";
}

// Which end is below a place of the page.
export function endAt(px, py) {
  for (const end of ["goal", "from"]) {
    const [x, y] = app.ends[end];
    if (Math.hypot(screenX(x + 0.5) - px, screenY(y + 0.5) - py) < 16) return end;
  }
  return null;
}

export function setEnd(end, cell) {
  const [x, y] = app.ends[end];
  if (x === cell[0] && y === cell[1]) return;
  app.ends[end] = cell;
  search();
  redraw("overlay");
}

export function setVersus(is) {
  element("versus").checked = is;
  boxes[1].hidden = !is;
  if (!is) found[1] = null;
  search();
}

element("versus").onchange = () => setVersus(element("versus").checked);
element("replay-time").oninput = (event) => { replay.plays = false; setTime(Number(event.target.value)); };
element("replay-play").onclick = () => playReplay();
element("replay-step").onclick = () => stepReplay(1);
element("replay-back").onclick = () => stepReplay(-1);
