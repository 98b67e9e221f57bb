// Links: a seed, or the map itself, in the fragment of the address. The part before it is this server's and stays here; whoever gets
// the link opens the fragment on their own playground.

import { app, on, status, toast } from "./app.js";
import { ask, upload } from "./connection.js";
import { setEnd, setMethod, specs } from "./search.js";

const MAX_BYTES = 64000;
let ends = null;

const toText = (content) => btoa(Array.from(content, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const fromText = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

// Opens what the address names; false where it names nothing.
export function openLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("ends")) ends = given.get("ends").split(",").map(Number);
  given.getAll("method").slice(0, 2).forEach((spec, slot) => setMethod(slot, spec));
  if (given.has("seed")) {
    const [kind, width, height, seed, terrain] = given.get("seed").split(",");
    ask("generate", { kind, width: Number(width) || 0, height: Number(height) || 0, seed: Number(seed) || 0, terrain: terrain === "1" });
    return true;
  }
  if (given.has("map")) {
    try {
      upload("shared.map", fromText(given.get("map")), true);
      return true;
    } catch {
      toast("The map in the link is damaged.");
    }
  }
  return false;
}

on("ready", () => {
  if (!ends || ends.length !== 4 || ends.some((number) => !Number.isInteger(number))) return;
  const [a, b, c, d] = ends;
  ends = null;
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
    const text = toText(new Uint8Array(buffer, at));
    if (text.length > MAX_BYTES) {
      return toast(`The map is too large for a link: ${text.length} bytes packed, up to ${MAX_BYTES} fit. Save it as a file instead.`);
    }
    parts.set("map", text);
  }
  parts.set("ends", [...app.ends.from, ...app.ends.goal].join(","));
  for (const spec of specs()) parts.append("method", spec);
  location.hash = parts.toString();
  try {
    await navigator.clipboard.writeText(location.href);
    toast("The link is in the address bar and on the clipboard.", "note");
  } catch {
    toast("The link is in the address bar.", "note");
  }
  status(`a link of ${location.hash.length} letters`);
}
