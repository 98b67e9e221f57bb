// Which map: the gallery, seeds, files that are chosen or dropped.

import { app, bytes, element, facts, grouped, on, status, time, toast } from "./app.js";
import { colours, groundOf } from "./colours.js";
import { fit } from "./camera.js";
import { ask, connect, isOpen, upload } from "./connection.js";
import { openLink } from "./link.js";

// Without a connection nothing of the page works, and it says so until there is one.
function setOffline(words) {
  app.offline = words !== null;
  element("offline").hidden = !app.offline;
  element("offline-words").textContent = words ?? "";
  for (const id of ["tools", "panel", "gallery", "open-file"]) element(id).inert = app.offline;
  document.body.classList.toggle("offline", app.offline);
  if (app.offline) {
    element("building").hidden = true;
    status("");
  }
}
on("closed", setOffline);
element("connect").onclick = () => { if (!isOpen()) connect(); };

on("hello", (hello) => {
  setOffline(null);
  const gallery = element("gallery");
  gallery.replaceChildren();
  const add = (value, text) => {
    const option = document.createElement("option");
    [option.value, option.textContent] = [value, text];
    gallery.append(option);
  };
  if (hello.given) add("given", hello.given);
  hello.gallery.forEach((entry, i) => add(i, entry.title));
  add("own", "your own");
  gallery.lastChild.hidden = true;
  const kind = element("kind");
  kind.replaceChildren(...hello.kinds.map((name) => new Option(name, name)));
  if (!openLink()) ask("given");
});

export function generate(entry) {
  const { kind, width, height, seed, terrain } = entry;
  status(`making ${kind}, ${grouped(width)} x ${grouped(height)} cells …`);
  ask("generate", { kind, width, height, seed, terrain });
}

element("gallery").onchange = (event) => {
  const { value } = event.target;
  if (value === "given") ask("given");
  else if (value !== "own") generate(app.hello.gallery[Number(value)]);
};

element("generate").onsubmit = (event) => {
  event.preventDefault();
  const number = (id, most) => Math.min(most, Math.max(0, Math.floor(Number(element(id).value) || 0)));
  generate({
    kind: element("kind").value, width: number("width", 4e9), height: number("height", 4e9),
    seed: number("seed", Number.MAX_SAFE_INTEGER), terrain: element("terrain").checked,
  });
};

on("map", (map) => {
  const title = map.name || "a map";
  element("map-name").textContent = `${title} · ${grouped(map.width)} × ${grouped(map.height)} cells`;
  element("map-name").title = element("map-name").textContent;
  document.title = `${title} – Waypost playground`;
  const entries = app.hello.gallery.findIndex((entry) => ["kind", "width", "height", "seed", "terrain"].every((key) => map.seeded && entry[key] === map.seeded[key]));
  const gallery = element("gallery");
  gallery.value = entries >= 0 ? String(entries) : map.name === app.hello.given && !map.seeded ? "given" : "own";
  showFacts([]);
  showGrounds();
  element("index").hidden = true;
  status(`${title} is open; its index is being built`);
  fit();
});

// What ground there is, and what a step on it costs.
function showGrounds() {
  const words = ({ kind, name, factor }) => `${name.length > 1 ? name : groundOf(kind)}: ${factor === null ? "a wall" : `a step costs ${factor}`}`;
  const entries = [...app.map.grounds.map((ground) => [colours.grounds[ground.kind], words(ground)]),
    ...(app.map.doors ? [[colours.openDoor, "open door"], [colours.closedDoor, "closed door"]] : [])];
  element("grounds").replaceChildren(...entries.map(([colour, text]) => {
    const entry = document.createElement("span");
    const patch = document.createElement("i");
    patch.className = "square";
    patch.style.background = colour;
    entry.append(patch, text);
    return entry;
  }));
}
on("theme", () => { if (app.map) showGrounds(); });

function showFacts(more) {
  const { map } = app;
  facts(element("map-facts"), [
    ["cells", grouped(map.width * map.height)], ["of these free", grouped(map.passable)],
    ["connected parts", grouped(map.components)], ["free cells of the largest", grouped(map.largest)],
    ...(map.doors ? [["doors", grouped(map.doors)]] : []), ...more,
  ]);
}

on("ready", (ready) => {
  const chip = element("index");
  chip.hidden = false;
  chip.textContent = chip.dataset.index = `${ready.kind} · ${bytes(ready.bytes)}`;
  chip.title = ready.reason || `the index of this map is one of ${ready.kind}`;
  element("building").hidden = true;
  showFacts([["index", ready.kind], ["its size", bytes(ready.bytes)], ...ready.facts]);
  status("drag the start and the goal, draw walls, or let a crowd walk");
});

// How the index stands since walls have been drawn.
on("index", ({ state }) => {
  const chip = element("index");
  chip.textContent = state === "current" ? chip.dataset.index : `${chip.dataset.index} · ${state.split(",")[0]}`;
});

on("building", ({ what, stage, share }) => {
  element("building").hidden = what === "";
  element("building-share").value = share;
  element("building-words").textContent = what ? `${what}: ${stage}` : "";
});
on("trouble", () => { element("building").hidden = true; });

on("waits", ({ words }) => status(words));
on("drawn", ({ cells, micros }) => {
  element("patched").textContent = cells ? `last patch: ${grouped(cells)} ${cells === 1 ? "cell" : "cells"} in ${time(micros)}` : "";
});

export async function openFile(file) {
  if (!isOpen()) return;
  status(`opening ${file.name} …`);
  try {
    await upload(file.name, new Uint8Array(await file.arrayBuffer()));
  } catch (error) {
    toast(`${file.name}: it cannot be read (${error.message}).`);
  }
}

element("open-file").onclick = () => element("file").click();
element("file").onchange = (event) => {
  const [file] = event.target.files;
  if (file) openFile(file);
  event.target.value = "";
};
const hasFile = (event) => [...event.dataTransfer?.types ?? []].includes("Files");
window.addEventListener("dragover", (event) => {
  event.preventDefault();
  if (hasFile(event)) element("drop").hidden = false;
});
window.addEventListener("dragleave", (event) => { if (!event.relatedTarget) element("drop").hidden = true; });
window.addEventListener("drop", (event) => {
  event.preventDefault();
  element("drop").hidden = true;
  const [file] = event.dataTransfer?.files ?? [];
  if (file) openFile(file);
});
