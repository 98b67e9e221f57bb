// Colours of both themes. Those that mean something differ in lightness, or in hue for all kinds of colour blindness; where there is room, in shape too.

import { app, element, emit, on, redraw } from "./app.js";

const THEMES = {
  dark: {
    beyond: "#090c11", wall: "#10151d", floor: "#566579", openDoor: "#9600ff", closedDoor: "#4b0069",
    // plain, road, swamp, woods, water, other slow ground
    grounds: ["#566579", "#b3a684", "#84884c", "#1f5a3a", "#2f78cc", "#5c2c20"],
    lines: "#ffffff14", ink: "#e6ebf2", halo: "#06090dcc", start: "#2fd3a0", goal: "#f0ab2e",
    paths: ["#f0ab2e", "#7cc6f2"], searched: [["#6d4f16", "#ffd98a"], ["#164565", "#b5e2ff"]],
    units: ["#b9bec4", "#7cc4ff", "#1f9e74", "#ff6a3d", "#c2185b", "#9a7bf0", "#ffee70", "#e08aa8"],
    selected: "#ffffff", ahead: "#ffffff", plot: ["#6cc5ff", "#f0ab2e", "#ff7043", "#93a0b1"],
  },
  light: {
    beyond: "#dcd9d2", wall: "#56606b", floor: "#fbfaf6", openDoor: "#5a2dff", closedDoor: "#1e0069",
    grounds: ["#fbfaf6", "#ead9a8", "#b9b65e", "#6ea678", "#7db8ea", "#c294c6"],
    lines: "#00000012", ink: "#1b2430", halo: "#ffffffd0", start: "#00795a", goal: "#b36b00",
    paths: ["#b36b00", "#005c96"], searched: [["#fff0cc", "#e0a33c"], ["#d8eefc", "#4c9fd6"]],
    units: ["#9aa1aa", "#2b8fd6", "#00563f", "#c93a00", "#7a0f4f", "#7b3fc4", "#d3b300", "#a04a6a"],
    selected: "#000000", ahead: "#1b2430", plot: ["#0072b2", "#b36b00", "#c43e00", "#5a6573"],
  },
};
export const STATES = ["no goal", "walking", "arrived", "no way there", "in a wall", "holding", "waiting", "cannot pass"];
// Their shapes, where there is room for one; in a wall: with a hole.
export const SHAPES = ["disc", "disc", "disc", "square", "square", "diamond", "ring", "square"];
const GROUNDS = ["plain", "road", "swamp", "woods", "water", "other ground"];
export const groundOf = (kind) => GROUNDS[kind];

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
