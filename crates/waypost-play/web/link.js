// Links: a seed, or the map itself, in the fragment of the address. The part before it is this server's and stays here; whoever gets
// the link opens the fragment on their own playground.

import { app, isInside, on, status, toast } from "./app.js";
import { ask, upload } from "./connection.js";
import { setEnd, setMethod, specs } from "./search.js";

const MAX_BYTES = 64000;
let ends = null;
let isOpening = false; // what the address names is not there yet

const toText = (content) => btoa(Array.from(content, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const fromText = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

// A number of an address: whole, and neither below zero nor beyond what the page counts exactly.
function whole(text) {
  const number = /^\d+$/.test(text ?? "") ? Number(text) : NaN;
  return Number.isSafeInteger(number) ? number : null;
}

// Opens what the address names; false where it names nothing that can be opened.
export function openLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  ends = given.has("ends") ? given.get("ends").split(",").map(whole) : null;
  if (!given.has("seed") && !given.has("map")) return false;
  isOpening = given.has("seed") ? openSeed(given.get("seed")) : openMap(given.get("map"), given.get("costs") ?? "");
  if (!isOpening) {
    ends = null;
    toast("The link is damaged.");
    return false;
  }
  given.getAll("method").slice(0, 2).forEach((spec, slot) => setMethod(slot, spec));
  return true;
}

function openSeed(text) {
  const [kind, width, height, seed, terrain] = text.split(",");
  const [columns, rows, number] = [width, height, seed].map(whole);
  if (columns === null || rows === null || number === null || Math.max(columns, rows) > 2 ** 31) return false;
  ask("generate", { kind, width: columns, height: rows, seed: number, terrain: terrain === "1" });
  return true;
}

function openMap(text, costs) {
  try {
    const content = fromText(text);
    if (content.length === 0) return false;
    upload("shared.map", content, { packed: true, costs });
    return true;
  } catch {
    return false;
  }
}

window.addEventListener("hashchange", () => { if (app.hello) openLink(); });
// The address names the map that it opened and no other.
on("map", () => {
  if (!isOpening && location.hash) history.replaceState(null, "", location.pathname);
  isOpening = false;
});
// What could not be opened is replaced by what the page begins with.
on("trouble", () => {
  if (isOpening) ends = null;
  if (isOpening && !app.map) ask("given");
  isOpening = false;
});
on("ready", () => {
  if (!ends) return;
  const [a, b, c, d] = ends;
  const fit = ends.length === 4 && !ends.includes(null) && isInside([a, b]) && isInside([c, d]);
  ends = null;
  if (!fit) return toast("The start and the goal of the link are not on its map.");
  setEnd("from", [a, b]);
  setEnd("goal", [c, d]);
});

// The server has packed the map.
export async function makeLink({ facts, buffer, at }) {
  const parts = new URLSearchParams();
  if (facts.seeded) {
    const { kind, width, height, seed, terrain } = facts.seeded;
    parts.set("seed", [kind, width, height, seed, terrain ? 1 : 0].join(","));
  } else {
    const content = new Uint8Array(buffer, at);
    if (content.length > MAX_BYTES) {
      return toast(`The map is too large for a link: ${content.length} bytes packed, up to ${MAX_BYTES} fit. Save it as a file instead.`);
    }
    parts.set("map", toText(content));
    if (facts.costs) parts.set("costs", facts.costs);
  }
  parts.set("ends", [...app.ends.from, ...app.ends.goal].join(","));
  for (const spec of specs()) parts.append("method", spec);
  history.replaceState(null, "", `#${parts}`);
  // The address in front of the # is of this server alone, token included: others have their own.
  const elsewhere = "On another playground, put it behind the address there.";
  try {
    await navigator.clipboard.writeText(location.hash);
    toast(`The link is in the address bar, and its part from the # on is on the clipboard. ${elsewhere}`, "note");
  } catch {
    toast(`The link is in the address bar: copy its part from the # on. ${elsewhere}`, "note");
  }
  status(`a link of ${location.hash.length} letters`);
}
