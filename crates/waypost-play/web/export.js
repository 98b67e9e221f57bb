// What can be taken along: files, pictures, films, links, lines of code.

import { app, element, on, status, toast } from "./app.js";
import { view } from "./camera.js";
import { ask } from "./connection.js";
import { Film, picture } from "./film.js";
import { makeLink } from "./link.js";

const FILM = { frames: 60, pause: 100, side: 640 };
let lines = { command: "", rust: "", python: "" };
let shown = "command";
let film = null;

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  status(`${name} is saved`);
}

const stem = () => (app.map?.name ?? "map").replace(/\.[a-z]+$/i, "");

on("file", (file) => {
  if (file.facts.type === "link") return makeLink(file);
  save(file.facts.name, new Blob([new Uint8Array(file.buffer, file.at)], { type: file.facts.type }));
  if (file.facts.dropped) toast(`The trace holds the first events; ${file.facts.dropped} more were left out.`, "note");
});

element("save-map").onclick = () => ask("export", { what: "map" });
element("share").onclick = () => ask("export", { what: "link" });
element("save-trace").onclick = () => ask("export", { what: "trace" });
element("save-png").onclick = async () => save(`${stem()}.png`, await picture().convertToBlob({ type: "image/png" }));

// A film of the next seconds.
element("save-gif").onclick = () => {
  if (film) return endFilm();
  const width = Math.min(FILM.side, Math.round(view.width));
  film = { reel: new Film(width), left: FILM.frames, timer: setInterval(shoot, FILM.pause) };
  element("save-gif").setAttribute("aria-pressed", "true");
  shoot();
};

function shoot() {
  film.reel.shoot();
  film.left -= 1;
  element("save-gif").textContent = `Filming … ${film.left}`;
  if (film.left <= 0) endFilm();
}

function endFilm() {
  clearInterval(film.timer);
  save(`${stem()}.gif`, new Blob([film.reel.end()], { type: "image/gif" }));
  film = null;
  element("save-gif").setAttribute("aria-pressed", "false");
  element("save-gif").textContent = "Film (.gif)";
}

on("lines", (facts) => { lines = facts.lines; showLines(); });

function showLines() {
  element("lines").textContent = lines[shown] || "Search a path or let a crowd walk first.";
  for (const tab of document.querySelectorAll("[data-lines]")) tab.setAttribute("aria-selected", String(tab.dataset.lines === shown));
}

const wantLines = () => { if (element("part-export").open) ask("export", { what: "lines" }); };
for (const tab of document.querySelectorAll("[data-lines]")) {
  tab.onclick = () => { shown = tab.dataset.lines; showLines(); wantLines(); };
}
element("part-export").ontoggle = wantLines;
on("found", wantLines);
on("crowd", wantLines);
element("copy").onclick = async () => {
  try {
    await navigator.clipboard.writeText(element("lines").textContent);
    toast("Copied.", "note");
  } catch {
    toast("The browser gives no clipboard; select the lines and copy them.");
  }
};
