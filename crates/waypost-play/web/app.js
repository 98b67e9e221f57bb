// What all parts of the page share: the state, a way to tell each other, and words for people.

export const app = {
  hello: null,      // what the server told first: methods, gallery, limits
  map: null,        // the map that is open
  ready: false,     // whether its index is there
  tool: "pan",
  brush: 1,
  theme: "dark",
  cursor: null,     // the cell of the keyboard's cursor
  hover: null,      // the cell below the pointer
  ends: { from: [0, 0], goal: [0, 0] },
  units: null,      // the latest frame of units
  selected: new Set(),
  followed: null,
  offline: true,    // without a connection
  fps: 0,
};

const listeners = new Map();

export function on(name, act) {
  if (!listeners.has(name)) listeners.set(name, []);
  listeners.get(name).push(act);
}

export function emit(name, facts) {
  for (const act of listeners.get(name) ?? []) act(facts);
}

export const element = (id) => document.getElementById(id);

// What has to be drawn again with the next frame.
export const stale = { map: true, overlay: true };

export function redraw(what = "both") {
  if (what !== "overlay") stale.map = true;
  stale.overlay = true;
}

export function status(words) {
  element("status").textContent = app.offline ? "not connected" : words;
}

// For screen readers: what has just happened, or is below the cursor.
export function say(words) {
  element("said").textContent = words;
}

export function toast(words, kind = "trouble") {
  const box = document.createElement("div");
  box.className = `toast ${kind}`;
  box.textContent = words;
  element("toasts").append(box);
  setTimeout(() => box.remove(), kind === "trouble" ? 7000 : 3500);
  const all = element("toasts").children;
  if (all.length > 4) all[0].remove();
}

export const grouped = (number) => Math.round(number).toLocaleString("en-US");

export function bytes(number) {
  const units = ["B", "kB", "MB", "GB"];
  let at = 0;
  while (number >= 1000 && at < 3) { number /= 1000; at += 1; }
  return `${number.toFixed(at && number < 100 ? 1 : 0)} ${units[at]}`;
}

export function time(micros) {
  if (micros < 1000) return `${micros.toFixed(micros < 10 ? 2 : 1)} µs`;
  if (micros < 1e6) return `${(micros / 1000).toFixed(micros < 1e4 ? 2 : 1)} ms`;
  return `${(micros / 1e6).toFixed(2)} s`;
}

// Fills a list of facts: names and values.
export function facts(list, pairs) {
  const known = list.children;
  pairs.forEach(([name, value], i) => {
    if (!known[2 * i]) list.append(document.createElement("dt"), document.createElement("dd"));
    if (known[2 * i].textContent !== name) known[2 * i].textContent = name;
    const text = String(value);
    if (known[2 * i + 1].textContent !== text) known[2 * i + 1].textContent = text;
  });
  while (known.length > 2 * pairs.length) list.lastChild.remove();
}

export const isInside = ([x, y]) => app.map !== null && x >= 0 && y >= 0 && x < app.map.width && y < app.map.height;
export const column = (cell) => cell % app.map.width;
export const row = (cell) => Math.floor(cell / app.map.width);
