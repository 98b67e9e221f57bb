// The map: tiles of 256 x 256 pixels, asked for at the zoom that is shown, kept while they may be needed again.

import { app, element, on, redraw } from "./app.js";
import { camera, screenX, screenY, view, windowCells } from "./camera.js";
import { colours, groundOf, tileColours } from "./colours.js";
import { ask } from "./connection.js";

const SIDE = 256;
const MAX_TILES = 400;
const MAX_ASKED = 12;
let tiles = new Map();   // "zoom/x/y" -> { bytes, image, stale, used }
let asked = new Set();
let clock = 0;

const key = (zoom, x, y) => `${zoom}/${x}/${y}`;

function zoomShown() {
  return Math.max(0, Math.ceil(Math.log2(1 / (camera.scale * view.ratio)) - 0.2));
}

on("map", () => { tiles = new Map(); asked = new Set(); redraw(); });
on("ready", () => redraw());
on("theme", () => { for (const tile of tiles.values()) tile.image = null; });

on("tile", (buffer) => {
  const head = new DataView(buffer);
  const name = key(head.getUint8(2), head.getUint32(4, true), head.getUint32(8, true));
  asked.delete(name);
  tiles.set(name, { bytes: new Uint8Array(buffer, 12), image: null, stale: false, used: clock });
  forget();
  redraw();
});

// Cells have changed: tiles that show them are asked for again, and shown as they were until then.
on("drawn", ({ least, most }) => {
  for (const [name, tile] of tiles) {
    const [zoom, x, y] = name.split("/").map(Number);
    const side = SIDE * 2 ** zoom;
    const touches = x * side <= most[0] && (x + 1) * side > least[0] && y * side <= most[1] && (y + 1) * side > least[1];
    if (touches) tile.stale = true;
  }
  asked.clear();
  redraw();
});

function forget() {
  if (tiles.size <= MAX_TILES) return;
  const old = [...tiles].sort((a, b) => a[1].used - b[1].used);
  for (const [name] of old.slice(0, MAX_TILES / 4)) tiles.delete(name);
}

function imageOf(tile) {
  if (!tile.image) {
    const image = new ImageData(SIDE, SIDE);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; i += 1) pixels[i] = tileColours[tile.bytes[i]];
    tile.image = new OffscreenCanvas(SIDE, SIDE);
    tile.image.getContext("2d").putImageData(image, 0, 0);
  }
  return tile.image;
}

export function drawMap() {
  const canvas = element("map");
  const context = canvas.getContext("2d", { alpha: false });
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = colours.beyond;
  context.fillRect(0, 0, canvas.width, canvas.height);
  if (!app.map) return;
  clock += 1;
  const zoom = zoomShown();
  const side = SIDE * 2 ** zoom;
  const [x, y, width, height] = windowCells();
  for (let ty = Math.floor(y / side); ty * side < y + height; ty += 1) {
    for (let tx = Math.floor(x / side); tx * side < x + width; tx += 1) drawTile(context, zoom, tx, ty);
  }
  if (camera.scale >= 12) drawLines(context, [x, y, width, height]);
}

function drawTile(context, zoom, x, y) {
  const tile = tiles.get(key(zoom, x, y));
  if (!tile || tile.stale) want(zoom, x, y);
  if (tile) {
    tile.used = clock;
    place(context, tile, zoom, x, y, 0, 0, SIDE, SIDE);
    return;
  }
  // Until it is there: a part of a coarser one.
  for (let up = 1; up <= 6; up += 1) {
    const coarse = tiles.get(key(zoom + up, x >> up, y >> up));
    if (!coarse) continue;
    const part = SIDE >> up;
    place(context, coarse, zoom, x, y, (x & (1 << up) - 1) * part, (y & (1 << up) - 1) * part, part, part);
    return;
  }
}

function place(context, tile, zoom, x, y, fromX, fromY, width, height) {
  const side = SIDE * 2 ** zoom;
  const ratio = view.ratio;
  const left = Math.round(screenX(x * side) * ratio);
  const top = Math.round(screenY(y * side) * ratio);
  const right = Math.round(screenX((x + 1) * side) * ratio);
  const bottom = Math.round(screenY((y + 1) * side) * ratio);
  context.imageSmoothingEnabled = camera.scale * ratio < 1;
  context.drawImage(imageOf(tile), fromX, fromY, width, height, left, top, right - left, bottom - top);
}

function want(zoom, x, y) {
  const name = key(zoom, x, y);
  if (asked.has(name) || asked.size >= MAX_ASKED) return;
  asked.add(name);
  ask("tile", { zoom, x, y });
}

function drawLines(context, [x, y, width, height]) {
  context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  context.strokeStyle = colours.lines;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = x; at <= x + width; at += 1) {
    context.moveTo(screenX(at), screenY(y));
    context.lineTo(screenX(at), screenY(y + height));
  }
  for (let at = y; at <= y + height; at += 1) {
    context.moveTo(screenX(x), screenY(at));
    context.lineTo(screenX(x + width), screenY(at));
  }
  context.stroke();
}

const LOOKS = { 1: "wall", 2: "floor", 3: "open door", 4: "closed door" };

// What a cell looks like, in a word; nothing while its tile is on the way.
export function lookOf([x, y]) {
  const [tx, ty] = [Math.floor(x / SIDE), Math.floor(y / SIDE)];
  const tile = tiles.get(key(0, tx, ty));
  if (!tile) {
    want(0, tx, ty);
    return "";
  }
  const look = tile.bytes[(y - ty * SIDE) * SIDE + x - tx * SIDE];
  if (look < 64) return LOOKS[look] ?? "";
  const ground = groundOf((look - 64) >> 2);
  return (look & 3) === 0 ? `${ground} as a wall` : ground;
}

// Whether all that can be seen is there, for pictures and tests.
export const isComplete = () => asked.size === 0;
