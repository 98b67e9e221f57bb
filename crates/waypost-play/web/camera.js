// Where the map is looked at from: the cell in the middle of the view, and pixels of a cell.

import { app, element, emit, redraw } from "./app.js";

export const camera = { x: 32, y: 32, scale: 8 };
export const view = { width: 1, height: 1, ratio: 1 };
const MAX_SCALE = 64;
const BAR = 74;

export function resize() {
  const box = element("view").getBoundingClientRect();
  view.width = Math.max(1, box.width);
  view.height = Math.max(1, box.height);
  view.ratio = Math.min(2, window.devicePixelRatio || 1);
  for (const id of ["map", "overlay"]) {
    const canvas = element(id);
    canvas.width = Math.round(view.width * view.ratio);
    canvas.height = Math.round(view.height * view.ratio);
  }
  redraw();
}

// Pixels of the page from cells, and back.
export const screenX = (x) => (x - camera.x) * camera.scale + view.width / 2;
export const screenY = (y) => (y - camera.y) * camera.scale + view.height / 2;
export const cellX = (px) => (px - view.width / 2) / camera.scale + camera.x;
export const cellY = (py) => (py - view.height / 2) / camera.scale + camera.y;

export function fit() {
  if (!app.map) return;
  // The bar of the replay lies over the lower edge, and on narrow screens the controls over the right one.
  const height = Math.max(view.height / 2, view.height - BAR);
  const right = element("view").getBoundingClientRect().right;
  const panel = element("panel").getBoundingClientRect();
  const covered = panel.width > 0 ? Math.max(0, right - panel.left) : 0;
  const width = Math.max(view.width / 3, view.width - covered);
  camera.scale = Math.min(MAX_SCALE / 2, 0.97 * Math.min(width / app.map.width, height / app.map.height));
  camera.x = app.map.width / 2 + (view.width - width) / 2 / camera.scale;
  camera.y = app.map.height / 2 + (view.height - height) / 2 / camera.scale;
  moved();
}

function minScale() {
  return 0.4 * Math.min(view.width / app.map.width, view.height / app.map.height, 8);
}

export function pan(dx, dy) {
  camera.x -= dx / camera.scale;
  camera.y -= dy / camera.scale;
  moved();
}

// Zooms; the cell below a place of the page stays there.
export function zoom(factor, px = view.width / 2, py = view.height / 2) {
  if (!app.map) return;
  const [x, y] = [cellX(px), cellY(py)];
  camera.scale = Math.min(MAX_SCALE, Math.max(minScale(), camera.scale * factor));
  camera.x = x - (px - view.width / 2) / camera.scale;
  camera.y = y - (py - view.height / 2) / camera.scale;
  moved();
}

export function lookAt(x, y, scale = camera.scale) {
  [camera.x, camera.y, camera.scale] = [x, y, scale];
  moved();
}

function moved() {
  camera.x = Math.min(Math.max(camera.x, 0), app.map.width);
  camera.y = Math.min(Math.max(camera.y, 0), app.map.height);
  redraw();
  emit("moved");
}

// The cells that can be seen: a corner, columns and rows.
export function windowCells() {
  const x = Math.max(0, Math.floor(cellX(0)));
  const y = Math.max(0, Math.floor(cellY(0)));
  const width = Math.max(0, Math.min(app.map.width, Math.ceil(cellX(view.width))) - x);
  const height = Math.max(0, Math.min(app.map.height, Math.ceil(cellY(view.height))) - y);
  return [x, y, width, height];
}
