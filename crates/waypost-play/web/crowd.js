// The crowd's controls and figures.

import { app, element, facts, grouped, on, redraw, status, time } from "./app.js";
import { camera, lookAt } from "./camera.js";
import { SHAPES, STATES, colours } from "./colours.js";
import { ask } from "./connection.js";
import { methodChoice } from "./methods.js";

let method = null;
let isPaused = false;
let shownAt = 0;

// The slider goes by tens: 1 to 10,000 units.
const unitsOf = (value) => Math.round(10 ** (value / 100 * Math.log10(app.hello.units)));

on("hello", () => {
  const before = method?.spec() ?? "waypost";
  element("crowd-method").replaceChildren();
  method = methodChoice(element("crowd-method"), "Method of the crowd", before, () => {});
  showCount();
  // A world that begins again knows nothing of what was chosen before.
  tellPace();
});
on("theme", legend);
on("map", () => { setRunning(false); facts(element("crowd-facts"), []); });

on("crowd", ({ units, asked }) => {
  setRunning(units > 0);
  const made = units < asked ? `${grouped(units)} units; there is no room for more of the ${grouped(asked)}.` : `${grouped(units)} units.`;
  element("selection").textContent = units > 0 ? `${made} Press U, drag a rectangle to select, click to send.` : "";
});

on("ticked", (frame) => {
  const now = performance.now();
  if (now - shownAt < 200) return;
  shownAt = now;
  facts(element("crowd-facts"), [
    ["tick", grouped(frame.tick)],
    ["tick and frame, mean", time(frame.mean)],
    ["efficiency (progress / walked)", Number.isFinite(frame.efficiency) ? frame.efficiency.toFixed(3) : "–"],
    ["arrivals", grouped(frame.arrivals)],
    ["waits in this tick", grouped(frame.waits)],
    ["provisional moves in this tick", grouped(frame.provisional)],
    ["units that wait for a plan", grouped(frame.planning)],
    ["published bound of a move", frame.bound > 0 ? `${grouped(frame.bound / frame.count)} operations` : "none: it plans whole paths"],
    ["frame", `${(frame.bytes / 1000).toFixed(1)} kB`],
  ]);
});

function legend() {
  const shown = [1, 6, 5, 2, 3, 4, 0].map((state) => {
    const entry = document.createElement("span");
    const dot = document.createElement("i");
    dot.style.background = colours.units[state];
    dot.className = SHAPES[state];
    entry.append(dot, STATES[state]);
    return entry;
  });
  element("legend").replaceChildren(...shown);
}

function setRunning(is) {
  for (const id of ["crowd-stop", "wander", "pause", "step", "follow"]) element(id).disabled = !is;
  element("follow").setAttribute("aria-pressed", "false");
}

function showCount() {
  if (app.hello) element("units-shown").textContent = grouped(unitsOf(element("units").value));
}

export function startCrowd(units = unitsOf(element("units").value)) {
  ask("crowd", {
    units, spec: method.spec(), exclusive: element("exclusive").checked,
    seed: Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(Number(element("crowd-seed").value) || 0))),
  });
  if (isPaused && units > 0) pause(false);
}

export function pause(paused = !isPaused) {
  isPaused = paused;
  element("pause").setAttribute("aria-pressed", String(paused));
  element("pause").textContent = paused ? "Go on" : "Pause";
  tellPace();
}

function tellPace() {
  ask("pace", { paused: isPaused, rate: Number(element("rate").value) });
}

export function step() {
  if (!isPaused) pause(true);
  ask("step");
}

export function followOne() {
  if (!app.units) return;
  const first = app.selected.values().next().value ?? Math.floor(app.units.count / 2);
  app.followed = app.followed === null ? first : null;
  element("follow").setAttribute("aria-pressed", String(app.followed !== null));
  ask("follow", { epoch: app.units.epoch, unit: app.followed });
  if (app.followed !== null && camera.scale < 6) lookAt(camera.x, camera.y, 10);
  redraw("overlay");
}

export function select(units) {
  app.selected = new Set(units);
  element("selection").textContent = units.length
    ? `${grouped(units.length)} selected. Click the map to send them.`
    : "Nobody is selected: a click sends all.";
  redraw("overlay");
}

export function sendTo(cell) {
  if (!app.units) return status("there is nobody to send: let a crowd walk first");
  ask("send", { epoch: app.units.epoch, units: [...app.selected], goal: cell });
  app.sentTo = { cell, at: performance.now() };
  redraw("overlay");
}

element("units").oninput = showCount;
element("crowd-start").onclick = () => startCrowd();
element("crowd-stop").onclick = () => startCrowd(0);
element("wander").onclick = () => ask("wander");
element("pause").onclick = () => pause();
element("step").onclick = step;
element("rate").onchange = tellPace;
element("follow").onclick = followOne;
