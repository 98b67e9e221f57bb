// Colours of both themes. Those that mean something differ in lightness too, so that all eyes tell them apart.

import { app, element, emit, on, redraw } from "./app.js";

const THEMES = {
  dark: {
    beyond: "#090c11", wall: "#151c26", floor: "#3a4656", openDoor: "#e8a33d", closedDoor: "#8c4a12",
    // plain, road, swamp, woods, water, other slow ground
    grounds: ["#3a4656", "#7d7461", "#5a5f3a", "#214532", "#1d4a78", "#5b4a5e"],
    lines: "#ffffff14", ink: "#e6ebf2", halo: "#06090dcc", start: "#2fd3a0", goal: "#f0ab2e",
    paths: ["#f0ab2e", "#7cc6f2"], searched: [["#6d4f16", "#ffd98a"], ["#164565", "#b5e2ff"]],
    units: ["#7d8896", "#6cc5ff", "#2fd3a0", "#ff7043", "#ff7043", "#c99ae0", "#ffe066"],
    selected: "#ffffff", ahead: "#ffffff", plot: ["#6cc5ff", "#f0ab2e", "#ff7043", "#93a0b1"],
  },
  light: {
    beyond: "#dcd9d2", wall: "#69737f", floor: "#fbfaf6", openDoor: "#e69f00", closedDoor: "#7a3b00",
    grounds: ["#fbfaf6", "#e3d3ac", "#c7c98a", "#7fae86", "#86bce8", "#cdb5cf"],
    lines: "#00000012", ink: "#1b2430", halo: "#ffffffd0", start: "#00795a", goal: "#b36b00",
    paths: ["#b36b00", "#005c96"], searched: [["#fff0cc", "#e0a33c"], ["#d8eefc", "#4c9fd6"]],
    units: ["#7a828c", "#0072b2", "#007a5a", "#c43e00", "#c43e00", "#8e4aa8", "#a88400"],
    selected: "#000000", ahead: "#1b2430", plot: ["#0072b2", "#b36b00", "#c43e00", "#5a6573"],
  },
};
export const STATES = ["no goal", "walking", "arrived", "no way there", "in a wall", "holding", "waiting"];

export let colours = THEMES.dark;

export function parts(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

// A pixel of an image as one number.
export function pixel(colour, alpha = 255) {
  const [r, g, b] = Array.isArray(colour) ? colour : parts(colour);
  return ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

export function mix(from, to, share) {
  const [a, b] = [parts(from), parts(to)];
  return a.map((value, i) => Math.round(value + (b[i] - value) * share));
}

// The colour of every byte of a tile.
export let tileColours = new Uint32Array(256);

function makeTileColours() {
  const table = new Uint32Array(256);
  table[0] = pixel(colours.beyond);
  table[1] = pixel(colours.wall);
  table[2] = pixel(colours.floor);
  table[3] = pixel(colours.openDoor);
  table[4] = pixel(colours.closedDoor);
  colours.grounds.forEach((ground, kind) => {
    // Ground that nobody can stand on is darker: trees and water as walls.
    for (let open = 0; open < 4; open += 1) {
      table[64 + 4 * kind + open] = pixel(mix(mixed(ground), ground, 0.25 + open / 4));
    }
  });
  for (let share = 0; share < 64; share += 1) {
    table[128 + share] = pixel(mix(colours.wall, colours.floor, share / 63));
  }
  return table;
}

function mixed(ground) {
  const [r, g, b] = mix(colours.wall, ground, 0.45);
  return `#${[r, g, b].map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

export function setTheme(name) {
  app.theme = name;
  document.documentElement.dataset.theme = name;
  colours = THEMES[name];
  tileColours = makeTileColours();
  try { localStorage.setItem("theme", name); } catch { /* the page does without */ }
  emit("theme");
  redraw();
}

export function beginTheme() {
  let known = null;
  try { known = localStorage.getItem("theme"); } catch { /* the page does without */ }
  const light = window.matchMedia?.("(prefers-color-scheme: light)").matches;
  setTheme(known in THEMES ? known : light ? "light" : "dark");
  element("theme").onclick = toggleTheme;
}

export function toggleTheme() {
  setTheme(app.theme === "dark" ? "light" : "dark");
}
