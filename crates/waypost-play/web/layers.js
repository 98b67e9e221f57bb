// What the index knows, drawn over the map: each layer with one sentence.

import { app, column, element, emit, on, redraw, row } from "./app.js";
import { camera, screenX, screenY, windowCells } from "./camera.js";
import { colours, parts, pixel } from "./colours.js";
import { ask } from "./connection.js";

const LAYERS = [
  ["corners", "Corners and hubs", "Shortest paths bend at corners alone: the cell below the pointer sees a few of them, and each keeps its distances to hubs, so that two labels meet in a hub and give the exact distance."],
  ["sectors", "Sectors and chains", "The map is cut into sectors, whose connected parts are regions; a table of next hops gives the chain of regions from start to goal, and a unit searches a few sectors of it at a time."],
  ["record", "The record of kNN LRTA*", "Of many solved problems kNN LRTA* picks one like yours and follows its subgoals, each within reach of plain hill climbing from the one before."],
  ["cliques", "Levels of cliques", "Groups of up to four cells that all touch become one node of the level above, again and again, until the map is a handful of nodes: what PRA* plans on."],
  ["first-moves", "Rows of the path database", "For every pair of cells the database knows the first step of a shortest path; these are the steps to the goal, and equal neighbours are stored as one run."],
];
const DX = [0, 1, 1, 1, 0, -1, -1, -1];
const DY = [-1, -1, 0, 1, 1, 1, 0, -1];
let shown = null;   // the name of the layer that is on
let level = 2;
let data = null;
let timer = null;

on("hello", () => {
  const list = element("layers");
  list.replaceChildren();
  for (const [name, title, words] of LAYERS) {
    const box = document.createElement("div");
    box.className = "layer";
    const label = document.createElement("label");
    label.className = "check";
    const input = document.createElement("input");
    input.type = "checkbox";
    input.dataset.layer = name;
    input.checked = name === shown;
    input.onchange = () => choose(input.checked ? name : null);
    const about = document.createElement("p");
    about.id = `about-${name}`;
    about.textContent = words;
    input.setAttribute("aria-describedby", about.id);
    label.append(input, title);
    box.append(label, about);
    if (name === "cliques") box.append(levels());
    list.append(box);
  }
});

function levels() {
  const input = document.createElement("input");
  input.type = "range";
  input.min = 1;
  input.max = 8;
  input.value = level;
  input.id = "level";
  input.setAttribute("aria-label", "Level of the abstraction");
  input.oninput = () => { level = Number(input.value); want(); };
  return input;
}

export function choose(name) {
  shown = name;
  data = null;
  for (const input of document.querySelectorAll("[data-layer]")) input.checked = input.dataset.layer === name;
  if (!name) ask("no-layer");
  want();
  redraw("overlay");
}

// Asks for the layer soon, once for all that happens until then.
function want() {
  if (!shown || timer) return;
  timer = setTimeout(() => {
    timer = null;
    if (!shown || !app.ready) return;
    const at = shown === "corners" ? app.hover ?? app.cursor ?? app.ends.from : app.ends.from;
    ask("layer", { layer: shown, at, goal: app.ends.goal, level, window: windowCells() });
  }, 60);
}

on("moved", want);
on("found", want);
on("ready", want);
on("drawn", want);
on("hovered", () => { if (shown === "corners") want(); });
on("map", () => { data = null; });

on("layer", ({ facts, numbers }) => {
  if (facts.layer !== shown) return;
  data = { facts, numbers: numbers(), image: null };
  if (facts.height) element("level").max = facts.height;
  emit("layered", facts);
  redraw("overlay");
});

export const layerShown = () => data;

export function drawLayer(context) {
  if (!data || data.facts.layer !== shown) return;
  const draw = { corners, sectors, record, cliques, "first-moves": firstMoves }[shown];
  draw(context, data);
}

const middle = (cell) => [screenX(column(cell) + 0.5), screenY(row(cell) + 0.5)];

function dots(context, cells, size, colour) {
  context.fillStyle = colour;
  for (const cell of cells) {
    const [x, y] = middle(cell);
    context.fillRect(x - size / 2, y - size / 2, size, size);
  }
}

function line(context, cells, colour, width) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  cells.forEach((cell, i) => {
    const [x, y] = middle(cell);
    if (i === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  });
  context.stroke();
}

function corners(context, { facts, numbers }) {
  const size = Math.min(7, Math.max(2, camera.scale * 0.5));
  const most = 2 * facts.corners;
  context.fillStyle = colours.units[1];
  for (let i = 0; i < most; i += 2) {
    const [x, y] = middle(numbers[i]);
    const grown = size * (0.7 + Math.min(1.3, numbers[i + 1] / 60));
    context.fillRect(x - grown / 2, y - grown / 2, grown, grown);
  }
  const seen = numbers.subarray(most, most + facts.seen);
  const hubs = numbers.subarray(most + facts.seen, most + facts.seen + facts.hubs);
  const from = [screenX(facts.at[0] + 0.5), screenY(facts.at[1] + 0.5)];
  context.strokeStyle = colours.start;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const cell of seen) {
    context.moveTo(...from);
    context.lineTo(...middle(cell));
  }
  context.stroke();
  dots(context, seen, size + 3, colours.start);
  context.strokeStyle = colours.goal;
  context.lineWidth = 2;
  for (const cell of hubs) {
    const [x, y] = middle(cell);
    context.beginPath();
    context.arc(x, y, size + 2, 0, 2 * Math.PI);
    context.stroke();
  }
}

function sectors(context, { facts, numbers }) {
  const [x, y, width, height] = windowCells();
  const side = facts.side;
  context.strokeStyle = colours.units[5];
  context.lineWidth = 1;
  if (side * camera.scale > 6) {
    context.beginPath();
    for (let at = Math.ceil(x / side) * side; at <= x + width; at += side) {
      context.moveTo(screenX(at), screenY(y));
      context.lineTo(screenX(at), screenY(y + height));
    }
    for (let at = Math.ceil(y / side) * side; at <= y + height; at += side) {
      context.moveTo(screenX(x), screenY(at));
      context.lineTo(screenX(x + width), screenY(at));
    }
    context.stroke();
  }
  dots(context, numbers.subarray(0, facts.regions), 4, colours.units[1]);
  const chain = numbers.subarray(facts.regions, facts.regions + facts.chain);
  line(context, chain, colours.start, 2.5);
  dots(context, chain, 7, colours.start);
}

function record(context, { numbers }) {
  line(context, numbers, colours.start, 2.5);
  numbers.forEach((cell, i) => {
    const [x, y] = middle(cell);
    context.fillStyle = i === 0 || i === numbers.length - 1 ? colours.ink : colours.start;
    context.beginPath();
    context.arc(x, y, 6, 0, 2 * Math.PI);
    context.fill();
  });
}

// Groups in colours that neighbours rarely share.
function cliques(context, layer) {
  const [x, y, width, height] = layer.facts.window;
  if (width === 0 || height === 0) return;
  if (!layer.image) {
    const inks = [...colours.units.slice(1), ...colours.paths, ...colours.grounds].map(parts);
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    layer.numbers.forEach((group, i) => {
      if (group !== 0xffffffff) pixels[i] = pixel(inks[(Math.imul(group, 2654435761) >>> 8) % inks.length], 150);
    });
    layer.image = new OffscreenCanvas(width, height);
    layer.image.getContext("2d").putImageData(image, 0, 0);
  }
  context.imageSmoothingEnabled = false;
  context.drawImage(layer.image, screenX(x), screenY(y), width * camera.scale, height * camera.scale);
}

function firstMoves(context, { facts, numbers }) {
  const [x, y, width] = facts.window;
  const every = Math.max(1, Math.ceil(9 / camera.scale));
  const length = Math.max(4, camera.scale * every * 0.32);
  context.strokeStyle = colours.units[1];
  context.lineWidth = 1.3;
  context.beginPath();
  for (let i = 0; i < numbers.length; i += 1) {
    const direction = numbers[i];
    const [cx, cy] = [x + i % width, y + Math.floor(i / width)];
    if (direction > 7 || cx % every || cy % every) continue;
    const [px, py] = [screenX(cx + 0.5), screenY(cy + 0.5)];
    const [dx, dy] = [DX[direction] * length, DY[direction] * length];
    context.moveTo(px - dx, py - dy);
    context.lineTo(px + dx, py + dy);
    context.moveTo(px + dx - (dx - dy) * 0.6, py + dy - (dy + dx) * 0.6);
    context.lineTo(px + dx, py + dy);
    context.lineTo(px + dx - (dx + dy) * 0.6, py + dy - (dy - dx) * 0.6);
  }
  context.stroke();
}
