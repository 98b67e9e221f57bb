// The live plot: times of ticks below, operations above, both on scales of tens, with what is published as lines.

import { app, element, on, time } from "./app.js";
import { colours } from "./colours.js";

const MAX = 400;
let micros = [];
let operations = [];
let epoch = -1;
let due = false;

on("ticked", (frame) => {
  if (frame.epoch !== epoch) {
    [micros, operations, epoch] = [[], [], frame.epoch];
  }
  micros.push(...frame.micros);
  operations.push(...frame.operations);
  if (micros.length > MAX) {
    micros = micros.slice(-MAX);
    operations = operations.slice(-MAX);
  }
  due = true;
});
on("theme", () => { due = true; });
on("crowd", () => { due = true; });

export const ticks = () => ({ micros, operations });

export function drawPlot() {
  if (!due || !element("part-crowd").open) return;
  due = false;
  const canvas = element("plot");
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth || 320, 150];
  if (canvas.width !== width * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  const { bound, budget } = app.units ?? { bound: 0, budget: 0 };
  const lines = [[budget, "for plans", []]];
  if (bound > 0) lines.unshift([bound, "published bound", [5, 3]]);
  graph(context, operations, [2, 82], width, colours.plot[1], "operations", tens, lines);
  graph(context, micros, [88, 60], width, colours.plot[0], "time", time, [[16667, "1/60 s", [5, 3]]]);
}

function tens(number) {
  if (number < 1000) return number.toFixed(0);
  const units = ["k", "M", "G", "T"];
  let at = -1;
  while (number >= 1000 && at < 3) { number /= 1000; at += 1; }
  return `${number.toFixed(number < 10 ? 1 : 0)} ${units[at]}`;
}

function graph(context, values, [top, height], width, ink, title, written, lines) {
  const limits = lines.map(([value]) => value).filter((value) => value > 0);
  const low = Math.log10(Math.max(1, Math.min(...limits, ...values) / 3));
  const high = Math.log10(Math.max(10, ...limits, ...values) * 1.6);
  const rows = 6 + 12 * Math.max(1, limits.length);
  const y = (value) => top + height - 4 - (Math.log10(Math.max(1, value)) - low) / (high - low) * (height - 4 - rows);
  context.lineWidth = 1;
  const names = [];
  for (const [value, name, dashes] of lines) {
    if (!(value > 0)) continue;
    context.strokeStyle = context.fillStyle = colours.plot[2];
    context.setLineDash(dashes);
    context.beginPath();
    context.moveTo(0, y(value));
    context.lineTo(width, y(value));
    context.stroke();
    names.push(`${dashes.length ? "- -" : "—"} ${name} ${written(value)}`);
  }
  context.setLineDash([]);
  context.fillStyle = context.strokeStyle = ink;
  const step = width / MAX;
  const first = width - values.length * step;
  context.beginPath();
  values.forEach((value, i) => {
    if (i === 0) context.moveTo(first, y(value));
    else context.lineTo(first + i * step, y(value));
  });
  context.stroke();
  // Names of lines stand in the rows above the curve, with the dashes of their lines.
  context.textAlign = "right";
  names.forEach((name, i) => label(context, name, width - 4, top + 10 + 12 * i, colours.plot[2]));
  context.textAlign = "left";
  const last = values.length ? ` ${written(values[values.length - 1])}, worst ${written(Math.max(...values))}` : "";
  label(context, title + last, 4, top + 10, ink);
}

function label(context, text, x, y, ink) {
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeStyle = getComputedStyle(element("plot")).backgroundColor;
  context.strokeText(text, x, y);
  context.fillStyle = ink;
  context.fillText(text, x, y);
}
