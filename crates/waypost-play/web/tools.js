// Pointer and keyboard: moving the map, drawing, ends of the search, units.

import { app, element, emit, isInside, on, redraw, say, status } from "./app.js";
import { camera, cellX, cellY, fit, pan, screenX, screenY, view, zoom } from "./camera.js";
import { colours, toggleTheme } from "./colours.js";
import { ask } from "./connection.js";
import { followOne, pause, select, sendTo, step } from "./crowd.js";
import { endAt, playReplay, setEnd, stepReplay } from "./search.js";
import { lookOf } from "./tiles.js";
import { unitNear, unitsIn } from "./units.js";

const PAINTS = { wall: "wall", floor: "floor", door: "door" };
const pointers = new Map();
let act = null;        // what the pointer that is down does
let pinch = null;
let stroke = 0;
let mark = null;       // where a line or a rectangle of the keyboard begins

export function setTool(tool) {
  mark = null;
  app.tool = tool;
  element("view").dataset.tool = tool;
  for (const button of document.querySelectorAll("[data-tool]:not(#view)")) {
    button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
  }
  const button = document.querySelector(`button[data-tool="${tool}"]`);
  status(button.title);
  redraw("overlay");
}

function cellOf(event) {
  const box = element("view").getBoundingClientRect();
  const [px, py] = [event.clientX - box.left, event.clientY - box.top];
  return { px, py, cell: [Math.floor(cellX(px)), Math.floor(cellY(py))] };
}

const clamped = ([x, y]) => [Math.min(Math.max(x, 0), app.map.width - 1), Math.min(Math.max(y, 0), app.map.height - 1)];

function down(event) {
  if (!app.map || event.target.closest("#replay")) return;
  element("view").setPointerCapture(event.pointerId);
  element("view").focus({ preventScroll: true });
  pointers.set(event.pointerId, event);
  if (pointers.size === 2) return beginPinch();
  // Further fingers do nothing.
  if (pointers.size > 2) return;
  const { px, py, cell } = cellOf(event);
  const end = endAt(px, py);
  if (event.button === 1 || event.button === 2) act = { kind: "pan", px, py };
  else if (end) act = { kind: "end", end };
  else if (app.tool in PAINTS) beginStroke(cell);
  else if (app.tool === "units") act = { kind: "units", px, py, tx: px, ty: py };
  else act = { kind: "pan", px, py };
  element("view").classList.add("dragging");
}

function beginStroke(cell) {
  stroke += 1;
  act = { kind: "draw", paint: PAINTS[app.tool], last: cell, first: cell, moved: false };
  if (act.paint !== "door") paint(act.paint, cell, cell);
}

// From cell to cell, as far as that is on the map.
function paint(what, from, to) {
  const steps = Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
  const along = (step) => from.map((at, i) => at + Math.round((to[i] - at) * step / Math.max(1, steps)));
  let [first, last] = [0, steps];
  while (first <= steps && !isInside(along(first))) first += 1;
  while (last > first && !isInside(along(last))) last -= 1;
  if (first <= last) ask("draw", { stroke, paint: what, brush: app.brush, points: [along(first), along(last)] });
}

// On a door the server opens or closes it; elsewhere it makes one.
function doorAt(cell) {
  if (isInside(cell)) ask("door", { stroke, brush: app.brush, at: cell });
}

function move(event) {
  const { px, py, cell } = cellOf(event);
  if (isInside(cell)) {
    if (!app.hover || app.hover[0] !== cell[0] || app.hover[1] !== cell[1]) {
      app.hover = cell;
      element("where").textContent = `${cell[0]}, ${cell[1]}`;
      emit("hovered");
      if (app.tool in PAINTS) redraw("overlay");
    }
  }
  if (!pointers.has(event.pointerId)) return;
  pointers.set(event.pointerId, event);
  if (pinch) return carryPinch();
  if (!act) return;
  if (act.kind === "pan") {
    pan(px - act.px, py - act.py);
    [act.px, act.py] = [px, py];
  } else if (act.kind === "end") {
    setEnd(act.end, clamped(cell));
  } else if (act.kind === "draw" && (cell[0] !== act.last[0] || cell[1] !== act.last[1])) {
    paint(act.paint, act.last, cell);
    [act.last, act.moved] = [cell, true];
  } else if (act.kind === "units") {
    [act.tx, act.ty] = [px, py];
    redraw("overlay");
  }
}

function up(event) {
  pointers.delete(event.pointerId);
  // It goes on with two of the fingers that are left.
  if (pinch) pinch = pointers.size < 2 ? null : spread();
  element("view").classList.remove("dragging");
  const done = act;
  act = null;
  if (!done || event.type === "pointercancel") return;
  if (done.kind === "draw" && done.paint === "door" && !done.moved) doorAt(done.first);
  if (done.kind === "units") endUnits(done, event);
}

function endUnits(done, event) {
  const [left, right] = [Math.min(done.px, done.tx), Math.max(done.px, done.tx)];
  const [top, bottom] = [Math.min(done.py, done.ty), Math.max(done.py, done.ty)];
  if (right - left > 4 || bottom - top > 4) {
    const found = unitsIn(left, top, right, bottom);
    select(event.shiftKey ? [...new Set([...app.selected, ...found])] : found);
    return;
  }
  const { cell } = cellOf(event);
  if (isInside(cell)) sendTo(cell);
  redraw("overlay");
}

// The second finger takes back what the first one has drawn.
function beginPinch() {
  if (act?.kind === "draw") ask("undo", { stroke });
  act = null;
  pinch = spread();
}

function spread() {
  const [a, b] = [...pointers.values()].map(cellOf);
  return { distance: Math.hypot(a.px - b.px, a.py - b.py) || 1, px: (a.px + b.px) / 2, py: (a.py + b.py) / 2 };
}

function carryPinch() {
  const now = spread();
  pan(now.px - pinch.px, now.py - pinch.py);
  zoom(now.distance / pinch.distance, now.px, now.py);
  pinch = now;
}

function wheel(event) {
  event.preventDefault();
  if (event.target.closest("#replay")) return;
  const { px, py } = cellOf(event);
  zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), px, py);
}

// The cell that keys are about: moved by the arrows, in the middle at first.
function moveCursor(dx, dy) {
  const at = app.cursor ?? clamped([Math.floor(camera.x), Math.floor(camera.y)]);
  app.cursor = clamped([at[0] + dx, at[1] + dy]);
  app.hover = app.cursor;
  const [px, py] = [screenX(app.cursor[0] + 0.5), screenY(app.cursor[1] + 0.5)];
  const edge = 60;
  const over = (at, side) => (at < edge ? edge - at : at > side - edge ? side - edge - at : 0);
  pan(over(px, view.width), over(py, view.height));
  element("where").textContent = `${app.cursor[0]}, ${app.cursor[1]}`;
  say(`${app.cursor[0]}, ${app.cursor[1]}: ${lookOf(app.cursor)}`);
  emit("hovered");
  redraw("overlay");
}

const cursorCell = () => app.cursor ??= clamped([Math.floor(camera.x), Math.floor(camera.y)]);

function useTool() {
  const [cell, from] = [cursorCell(), mark];
  mark = null;
  stroke += 1;
  if (app.tool === "units" && from) selectCells(from, cell);
  else if (app.tool === "units") sendTo(cell);
  else if (app.tool === "door" && !from) doorAt(cell);
  else if (app.tool in PAINTS) paint(PAINTS[app.tool], from ?? cell, cell);
  else status("choose a tool first: W, E, D or U");
  redraw("overlay");
}

function setMark() {
  mark = cursorCell();
  const what = app.tool === "units" ? "a rectangle of units" : "a line";
  status(`${what} begins at ${mark[0]}, ${mark[1]}: move the cursor and press Enter (Escape for none)`);
  redraw("overlay");
}

function selectCells(from, to) {
  const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0]) + 1];
  const [top, bottom] = [Math.min(from[1], to[1]), Math.max(from[1], to[1]) + 1];
  select(unitsIn(screenX(left), screenY(top), screenX(right), screenY(bottom)));
}

function selectNear() {
  const unit = unitNear(cursorCell());
  if (unit === null) return status("there is no unit to select");
  select([unit]);
}

const atCursor = (end) => () => setEnd(end, app.cursor ?? app.hover ?? app.ends[end]);
const setBrush = (by) => () => {
  app.brush = Math.min(64, Math.max(1, app.brush + by));
  element("brush").value = app.brush;
  redraw("overlay");
};

// Key, what it does, words for the help.
const KEYS = [
  ["v", () => setTool("pan"), "move the map"], ["w", () => setTool("wall"), "draw walls"],
  ["e", () => setTool("floor"), "erase walls and doors"], ["d", () => setTool("door"), "draw, open and close doors"],
  ["u", () => setTool("units"), "select and send units"],
  ["x", setMark, "begin a line, or a rectangle of units, at the cursor; Enter ends it"], ["n", selectNear, "select the unit nearest to the cursor"], ["[", setBrush(-1), "narrower brush"], ["]", setBrush(1), "wider brush"],
  ["s", atCursor("from"), "start here"], ["g", atCursor("goal"), "goal here"],
  ["k", () => playReplay(), "play the search"], ["j", () => stepReplay(-1), "a step back"], ["l", () => stepReplay(1), "a step on"],
  [" ", () => pause(), "pause the crowd"], [".", step, "one tick"], ["f", followOne, "follow a unit"],
  ["+", () => zoom(1.4), "nearer"], ["-", () => zoom(1 / 1.4), "farther"], ["0", fit, "all of the map"],
  ["t", toggleTheme, "dark or light"], ["p", () => fold(), "show or hide the controls"], ["?", () => element("help").showModal(), "these keys"],
];
const NAMES = { " ": "space" };

function fold(is) {
  const folded = document.body.classList.toggle("folded", is);
  element("fold").setAttribute("aria-expanded", String(!folded));
  emit("resized");
}

// Arrow keys go from button to button of a toolbar or a list of tabs.
function rove(list, forward, back) {
  list.addEventListener("keydown", (event) => {
    const by = { [forward]: 1, [back]: -1 }[event.key];
    const buttons = [...list.querySelectorAll("button:not(:disabled)")];
    const at = buttons.indexOf(document.activeElement);
    if (!by || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[(at + by + buttons.length) % buttons.length].focus();
  });
}

function key(event) {
  const typing = event.target.closest("input, select, textarea, dialog, pre");
  if (typing && event.target.type !== "checkbox") return;
  if ((event.ctrlKey || event.metaKey) && ["z", "y"].includes(event.key.toLowerCase())) {
    event.preventDefault();
    ask(event.key.toLowerCase() === "y" || event.shiftKey ? "redo" : "undo");
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !app.map) return;
  const onMap = event.target === element("view") || event.target === document.body;
  const far = event.shiftKey ? 10 : 1;
  const arrows = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, -far], ArrowDown: [0, far] };
  if (event.key in arrows && onMap) {
    event.preventDefault();
    return moveCursor(...arrows[event.key]);
  }
  if (event.key === "Enter" && onMap) return useTool();
  if (event.key === "Escape" && mark) {
    mark = null;
    return redraw("overlay");
  }
  // Buttons take spaces themselves.
  if (event.key === " " && !onMap) return;
  const known = KEYS.find(([name]) => name === event.key.toLowerCase() || name === "+" && event.key === "=");
  if (known) {
    event.preventDefault();
    known[1]();
  }
}

export function drawTools(context) {
  if (act?.kind === "units") {
    context.strokeStyle = colours.selected;
    context.setLineDash([4, 4]);
    context.strokeRect(act.px, act.py, act.tx - act.px, act.ty - act.py);
    context.setLineDash([]);
  }
  if (app.tool in PAINTS && app.hover) {
    const back = Math.floor((app.brush - 1) / 2);
    const side = app.brush * camera.scale;
    context.strokeStyle = colours.ink;
    context.lineWidth = 1;
    context.strokeRect(screenX(app.hover[0] - back), screenY(app.hover[1] - back), side, side);
  }
  if (mark && app.cursor) {
    context.strokeStyle = colours.selected;
    context.lineWidth = 2;
    context.setLineDash([4, 4]);
    context.beginPath();
    const [[ax, ay], [bx, by]] = [mark, app.cursor].map(([x, y]) => [screenX(x + 0.5), screenY(y + 0.5)]);
    if (app.tool === "units") context.rect(ax, ay, bx - ax, by - ay);
    else {
      context.moveTo(ax, ay);
      context.lineTo(bx, by);
    }
    context.stroke();
    context.setLineDash([]);
  }
  if (app.cursor) {
    const [x, y] = [screenX(app.cursor[0]), screenY(app.cursor[1])];
    const side = Math.max(8, camera.scale);
    context.strokeStyle = colours.selected;
    context.lineWidth = 2;
    context.strokeRect(x - (side - camera.scale) / 2, y - (side - camera.scale) / 2, side, side);
  }
  const age = app.sentTo ? performance.now() - app.sentTo.at : Infinity;
  if (age < 700) {
    context.strokeStyle = colours.selected;
    context.lineWidth = 2;
    context.globalAlpha = 1 - age / 700;
    context.beginPath();
    context.arc(screenX(app.sentTo.cell[0] + 0.5), screenY(app.sentTo.cell[1] + 0.5), 4 + age / 25, 0, 2 * Math.PI);
    context.stroke();
    context.globalAlpha = 1;
    redraw("overlay");
  }
}

export function beginTools() {
  const place = element("view");
  place.addEventListener("pointerdown", down);
  place.addEventListener("pointermove", move);
  place.addEventListener("pointerup", up);
  place.addEventListener("pointercancel", up);
  place.addEventListener("wheel", wheel, { passive: false });
  place.addEventListener("contextmenu", (event) => event.preventDefault());
  window.addEventListener("keydown", key);
  for (const button of document.querySelectorAll("button[data-tool]")) button.onclick = () => setTool(button.dataset.tool);
  element("undo").onclick = () => ask("undo");
  element("redo").onclick = () => ask("redo");
  element("zoom-in").onclick = () => zoom(1.4);
  element("zoom-out").onclick = () => zoom(1 / 1.4);
  element("fit").onclick = fit;
  element("fold").onclick = () => fold();
  // The fragment of the address is the link's.
  document.querySelector(".skip").onclick = (event) => {
    event.preventDefault();
    fold(false);
    element("panel").focus();
  };
  // Where the controls would lie over the map they wait to be asked for.
  if (window.matchMedia("(max-width: 860px)").matches) fold(true);
  rove(element("tools"), "ArrowDown", "ArrowUp");
  rove(document.querySelector('[role="tablist"]'), "ArrowRight", "ArrowLeft");
  element("help-button").onclick = () => element("help").showModal();
  element("brush").onchange = () => {
    app.brush = Math.min(64, Math.max(1, Math.floor(Number(element("brush").value)) || 1));
    element("brush").value = app.brush;
  };
  const list = document.createElement("dl");
  const keys = [...KEYS.map(([name, , words]) => [NAMES[name] ?? name.toUpperCase(), words]),
    ["arrows", "move the cell cursor (with shift by ten)"], ["enter", "use the tool at the cursor"], ["Ctrl+Z, Ctrl+Y", "take back, make again"]];
  for (const [name, words] of keys) {
    const [dt, dd, kbd] = ["dt", "dd", "kbd"].map((tag) => document.createElement(tag));
    kbd.textContent = name;
    dt.append(kbd);
    dd.textContent = words;
    list.append(dt, dd);
  }
  element("help-keys").append(list);
}
on("drawn", ({ undo, redo }) => {
  element("undo").disabled = undo === 0;
  element("redo").disabled = redo === 0;
});
on("map", () => {
  app.cursor = app.hover = mark = null;
  element("undo").disabled = element("redo").disabled = true;
});
