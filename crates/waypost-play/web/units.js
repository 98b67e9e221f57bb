// Units: frames from the server, and dots on the map. Between ticks they glide from the cell that they came from.

import { app, column, emit, on, redraw, row } from "./app.js";
import { camera, cellX, cellY, lookAt, screenX, screenY, view } from "./camera.js";
import { SHAPES, colours, pixel } from "./colours.js";

const HEAD = 64;
const SMALL = 5; // dots up to so many pixels are painted pixel by pixel
const DX = [0, 1, 1, 1, 0, -1, -1, -1, 0];
const DY = [-1, -1, 0, 1, 1, 1, 0, -1, 0];
let arrival = 0;      // when the last frame came
let pause = 33;       // milliseconds of a tick, on a sliding average
let sprites = new Map();
let image = null;

on("theme", () => { sprites = new Map(); });
on("map", () => { app.units = null; app.selected.clear(); app.followed = null; });
on("crowd", ({ units }) => {
  app.selected.clear();
  app.followed = null;
  if (units === 0) app.units = null;
  redraw("overlay");
});

on("units", (buffer) => {
  const head = new DataView(buffer);
  const count = head.getUint16(2, true);
  const [history, ahead] = [head.getUint32(12, true), head.getUint32(56, true)];
  const at = HEAD + 4 * count;
  const frame = {
    count, epoch: head.getUint32(4, true), tick: head.getUint32(8, true),
    efficiency: head.getFloat32(16, true), arrivals: head.getUint32(20, true), waits: head.getUint32(24, true),
    provisional: head.getUint32(28, true), planning: head.getUint32(32, true), moves: head.getUint32(36, true),
    bound: head.getFloat64(40, true), budget: head.getUint32(48, true), mean: head.getFloat32(52, true),
    cells: new Uint32Array(buffer, HEAD, count), ahead: new Uint32Array(buffer, at, ahead),
    micros: [], operations: [], bytes: buffer.byteLength,
    states: new Uint8Array(buffer, at + 4 * ahead + 8 * history, count),
  };
  for (let i = 0; i < history; i += 1) {
    frame.micros.push(head.getFloat32(at + 4 * ahead + 8 * i, true));
    frame.operations.push(head.getUint32(at + 4 * ahead + 8 * i + 4, true));
  }
  const now = performance.now();
  const before = app.units;
  if (before && before.epoch === frame.epoch && frame.tick > before.tick) {
    const each = (now - arrival) / (frame.tick - before.tick);
    pause += (Math.min(500, each) - pause) * 0.2;
  }
  if (!before || frame.tick !== before.tick) arrival = now;
  app.units = frame;
  emit("ticked", frame);
  redraw("overlay");
});

// How far units have come on their way into their cells.
function share(now) {
  return Math.min(1, (now - arrival) / Math.max(8, pause));
}

export const isGliding = (now) => app.units !== null && camera.scale > 1.5 && share(now) < 1;

export function unitAt(index, part) {
  const { cells, states } = app.units;
  const heading = states[index] & 15;
  const back = 1 - part;
  return [column(cells[index]) + 0.5 - DX[heading] * back, row(cells[index]) + 0.5 - DY[heading] * back];
}

export function drawUnits(context, canvas, now) {
  const size = Math.max(2, camera.scale * 0.8 * view.ratio);
  const part = camera.scale > 1.5 ? share(now) : 1;
  follow(part);
  if (size <= SMALL) paintDots(context, canvas, Math.round(size), part);
  else drawSprites(context, size, part);
}

// The small ones: straight into the pixels of the picture.
function paintDots(context, canvas, size, part) {
  const { width, height } = canvas;
  if (!image || image.width !== width || image.height !== height) image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  pixels.fill(0);
  const { count, cells, states } = app.units;
  const scale = camera.scale * view.ratio;
  const left = width / 2 - camera.x * scale - size / 2;
  const top = height / 2 - camera.y * scale - size / 2;
  const inks = colours.units.map((colour) => pixel(colour));
  const chosen = pixel(colours.selected);
  const columns = app.map.width;
  const back = 1 - part;
  const { selected } = app;
  for (let i = 0; i < count; i += 1) {
    const state = states[i];
    const cell = cells[i];
    const y = (cell / columns) | 0;
    const x = cell - y * columns;
    const heading = state & 15;
    const px = (left + (x + 0.5 - DX[heading] * back) * scale) | 0;
    const py = (top + (y + 0.5 - DY[heading] * back) * scale) | 0;
    if (px < 0 || py < 0 || px + size > width || py + size > height) continue;
    const ink = selected.size > 0 && selected.has(i) ? chosen : inks[state >> 4];
    for (let dy = 0; dy < size; dy += 1) {
      const first = (py + dy) * width + px;
      for (let dx = 0; dx < size; dx += 1) pixels[first + dx] = ink;
    }
  }
  context.putImageData(image, 0, 0);
}

// The large ones: discs, squares for those that cannot go, rings for those that wait, diamonds for those that hold.
function sprite(state, size, chosen) {
  const name = `${state} ${size} ${chosen}`;
  if (sprites.has(name)) return sprites.get(name);
  if (sprites.size > 200) sprites.clear();
  const side = Math.ceil(size) + 4;
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext("2d");
  const [middle, radius] = [side / 2, size / 2];
  context.fillStyle = colours.units[state];
  context.strokeStyle = chosen ? colours.selected : colours.halo;
  context.lineWidth = chosen ? 2.5 : 1.2;
  context.beginPath();
  if (SHAPES[state] === "square") context.rect(middle - radius * 0.85, middle - radius * 0.85, radius * 1.7, radius * 1.7);
  else if (SHAPES[state] === "diamond") {
    context.moveTo(middle, middle - radius);
    context.lineTo(middle + radius, middle);
    context.lineTo(middle, middle + radius);
    context.lineTo(middle - radius, middle);
    context.closePath();
  } else context.arc(middle, middle, radius, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  if (SHAPES[state] === "ring" || state === 4) {
    context.beginPath();
    context.fillStyle = colours.halo;
    context.arc(middle, middle, radius * 0.45, 0, 2 * Math.PI);
    context.fill();
  }
  sprites.set(name, canvas);
  return canvas;
}

function drawSprites(context, size, part) {
  const drawn = Math.round(size * 2) / 2;
  const { count, states } = app.units;
  const ratio = view.ratio;
  context.setTransform(1, 0, 0, 1, 0, 0);
  for (let i = 0; i < count; i += 1) {
    const [x, y] = unitAt(i, part);
    const px = screenX(x) * ratio;
    const py = screenY(y) * ratio;
    if (px < -size || py < -size || px > view.width * ratio + size || py > view.height * ratio + size) continue;
    const disc = sprite(states[i] >> 4, drawn, app.selected.has(i));
    context.drawImage(disc, px - disc.width / 2, py - disc.height / 2);
  }
}

function follow(part) {
  if (app.followed === null || app.followed >= app.units.count) return;
  const [x, y] = unitAt(app.followed, part);
  if (Math.abs(x - camera.x) * camera.scale > 0.5 || Math.abs(y - camera.y) * camera.scale > 0.5) lookAt(x, y);
}

// What the followed unit is going to walk, and a ring round it.
export function drawFollowed(context, now) {
  if (app.followed === null || !app.units || app.followed >= app.units.count) return;
  const [x, y] = unitAt(app.followed, camera.scale > 1.5 ? share(now) : 1);
  context.strokeStyle = colours.ahead;
  context.lineWidth = 2;
  context.setLineDash([5, 4]);
  context.beginPath();
  context.moveTo(screenX(x), screenY(y));
  for (const cell of app.units.ahead) context.lineTo(screenX(column(cell) + 0.5), screenY(row(cell) + 0.5));
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.arc(screenX(x), screenY(y), Math.max(9, camera.scale * 0.8), 0, 2 * Math.PI);
  context.stroke();
}

// The unit nearest to a cell; none where there are none.
export function unitNear([x, y]) {
  let [nearest, least] = [null, Infinity];
  for (let i = 0; i < (app.units?.count ?? 0); i += 1) {
    const cell = app.units.cells[i];
    const away = (column(cell) - x) ** 2 + (row(cell) - y) ** 2;
    if (away < least) [nearest, least] = [i, away];
  }
  return nearest;
}

// The units in a rectangle of the page.
export function unitsIn(left, top, right, bottom) {
  const found = [];
  if (!app.units) return found;
  const [x0, y0, x1, y1] = [cellX(left), cellY(top), cellX(right), cellY(bottom)];
  for (let i = 0; i < app.units.count; i += 1) {
    const [x, y] = unitAt(i, 1);
    if (x >= x0 && x <= x1 && y >= y0 && y <= y1) found.push(i);
  }
  return found;
}
