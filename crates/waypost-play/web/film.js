// Pictures of the view, and films: with trails of the units, and below a strip with the tick, the time and what the marks mean.

import { app, column, element, grouped, on, row } from "./app.js";
import { camera, screenX, screenY, view } from "./camera.js";
import { SHAPES, STATES, colours, parts } from "./colours.js";
import { Gif } from "./gif.js";
import { lastFound } from "./search.js";

// The view as one picture, of a width that fits, with room below it; what is given draws between the map and what stands on it.
export function picture(width = view.width * view.ratio, room = 0, between = () => {}) {
  const [wide, high] = [Math.round(width), Math.round(view.height * width / view.width)];
  const canvas = new OffscreenCanvas(wide, high + room);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(element("map"), 0, 0, wide, high);
  context.save();
  context.scale(wide / view.width, high / view.height);
  between(context);
  context.restore();
  context.drawImage(element("overlay"), 0, 0, wide, high);
  return canvas;
}

const STRIP = 46;
const LETTERS = "13px system-ui, sans-serif";
// Trails: where the units were, so many ticks apart, and how strong the way from each such place to the next is, the oldest first.
const APART = 3;
const FADING = [0.12, 0.12, 0.2, 0.2, 0.3, 0.3, 0.42, 0.42];
let trails = [];

on("map", () => { trails = []; });
on("ticked", ({ epoch, tick, cells }) => {
  const last = trails.at(-1);
  if (last && (last.epoch !== epoch || last.tick > tick)) trails = [];
  if (trails.length && tick < trails.at(-1).tick + APART) return;
  trails.push({ epoch, tick, cells });
  if (trails.length > FADING.length) trails.shift();
});

// The places of all units as they were, with the latest last.
function places() {
  const { units } = app;
  if (!units || trails.at(-1)?.epoch !== units.epoch) return [];
  return [...trails, units].filter(({ cells }) => cells.length === units.cells.length).map(({ cells }) => cells);
}

function drawTrails(context) {
  const known = places();
  context.strokeStyle = colours.units[1];
  context.lineWidth = Math.max(1, camera.scale * 0.3);
  for (let at = 1; at < known.length; at += 1) {
    const [before, after] = [known[at - 1], known[at]];
    context.globalAlpha = FADING[at - known.length + FADING.length] ?? FADING[0];
    context.beginPath();
    for (let i = 0; i < after.length; i += 1) {
      if (before[i] === after[i]) continue;
      context.moveTo(screenX(column(before[i]) + 0.5), screenY(row(before[i]) + 0.5));
      context.lineTo(screenX(column(after[i]) + 0.5), screenY(row(after[i]) + 0.5));
    }
    context.stroke();
  }
  context.globalAlpha = 1;
}

// The states that units are in; states once seen stay in the legend.
function seenStates(seen) {
  for (const state of app.units?.states ?? []) seen.add(state >> 4);
  return [1, 6, 5, 2, 3, 4, 7, 0].filter((state) => seen.has(state));
}

function mark(context, shape, colour, x, y) {
  context.fillStyle = context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  if (shape === "square") context.rect(x - 4.5, y - 4.5, 9, 9);
  else if (shape === "line") context.rect(x - 9, y - 1.5, 18, 3);
  else if (shape === "diamond") {
    for (const [dx, dy] of [[0, -6], [6, 0], [0, 6], [-6, 0]]) context.lineTo(x + dx, y + dy);
    context.closePath();
  } else context.arc(x, y, shape === "ring" ? 4 : 5, 0, 2 * Math.PI);
  if (shape === "ring") context.stroke();
  else context.fill();
}

export class Film {
  constructor(width) {
    Object.assign(this, { width, gif: null, begun: null, seen: new Set() });
  }

  // What the strip says of now: one line in words, and marks with what they mean.
  strip(now) {
    const words = [];
    if (app.units) words.push(`tick ${grouped(app.units.tick)}`);
    words.push(`${((now - this.begun) / 1000).toFixed(1)} s`);
    if (app.units) words.push(`${grouped(app.units.count)} ${app.units.count === 1 ? "unit" : "units"}`);
    words.push(`${grouped(app.map.width)} x ${grouped(app.map.height)} cells`);
    const marks = seenStates(this.seen).map((state) => [SHAPES[state], colours.units[state], STATES[state]]);
    marks.push(["disc", colours.start, "start"], ["diamond", colours.goal, "goal"]);
    lastFound().forEach((one, slot) => { if (one) marks.push(["line", colours.paths[slot], slot ? "second path" : "path"]); });
    return { words: words.join("   "), marks };
  }

  drawStrip(context, top, now) {
    const { words, marks } = this.strip(now);
    context.fillStyle = colours.beyond;
    context.fillRect(0, top, this.width, STRIP);
    context.font = LETTERS;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.fillStyle = colours.ink;
    context.fillText(words, 10, top + 14);
    let x = 17;
    for (const [shape, colour, name] of marks) {
      const wide = context.measureText(name).width;
      if (x + 14 + wide > this.width) break;
      mark(context, shape, colour, x, top + 33);
      context.fillStyle = colours.ink;
      context.fillText(name, x + 13, top + 33);
      x += wide + 36;
    }
  }

  // Takes a picture.
  shoot() {
    const now = performance.now();
    this.begun ??= now;
    const canvas = picture(this.width, STRIP, drawTrails);
    if (this.gif && canvas.height !== this.gif.height) return; // the window has changed
    const context = canvas.getContext("2d", { willReadFrequently: true });
    this.drawStrip(context, canvas.height - STRIP, now);
    const named = [...colours.units, ...colours.paths, colours.start, colours.goal, colours.ink];
    this.gif ??= new Gif(canvas.width, canvas.height, named.map(parts));
    this.gif.add(context.getImageData(0, 0, canvas.width, canvas.height).data, now);
  }

  // The bytes of the film.
  end() {
    return this.gif.end();
  }
}
