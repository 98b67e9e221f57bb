// A choice of a method and its keys, made from the registry of the engine.

import { app } from "./app.js";

// Puts the choice into a box; gives back what reads and sets it.
export function methodChoice(box, name, chosen, changed, mark) {
  box.classList.add("method");
  if (mark) box.style.setProperty("--of", mark);
  const label = document.createElement("label");
  label.className = "field";
  label.textContent = name;
  const select = document.createElement("select");
  select.setAttribute("aria-label", name);
  for (const algorithm of app.hello.algorithms) {
    const option = document.createElement("option");
    option.value = option.textContent = algorithm.name;
    select.append(option);
  }
  label.append(select);
  const about = document.createElement("p");
  const more = document.createElement("details");
  const summary = document.createElement("summary");
  const keys = document.createElement("div");
  keys.className = "keys";
  more.append(summary, keys);
  box.append(label, about, more);

  const fill = () => {
    const algorithm = app.hello.algorithms.find((known) => known.name === select.value);
    about.textContent = algorithm.about;
    more.hidden = algorithm.keys.length === 0;
    summary.textContent = `${algorithm.keys.length} keys`;
    keys.replaceChildren();
    for (const [key, help] of algorithm.keys) {
      const id = `key-${name}-${key}`.replaceAll(/[^a-z0-9-]/gi, "-");
      const tag = document.createElement("label");
      tag.htmlFor = id;
      tag.textContent = key;
      const input = document.createElement("input");
      input.id = id;
      input.dataset.key = key;
      input.placeholder = "as it comes";
      input.onchange = changed;
      const words = document.createElement("span");
      words.className = "about";
      words.id = `${id}-about`;
      words.textContent = help;
      input.setAttribute("aria-describedby", words.id);
      keys.append(tag, input, words);
    }
  };
  select.onchange = () => { fill(); changed(); };
  const set = (spec) => {
    const [of, rest = ""] = spec.split(":");
    if (!app.hello.algorithms.some((known) => known.name === of)) return;
    select.value = of;
    fill();
    for (const pair of rest.split(",").filter(Boolean)) {
      const [key, value] = pair.split("=");
      const input = keys.querySelector(`[data-key="${CSS.escape(key)}"]`);
      if (input) input.value = value;
    }
  };
  const spec = () => {
    const given = [...keys.querySelectorAll("input")].filter((input) => input.value.trim() !== "");
    const pairs = given.map((input) => `${input.dataset.key}=${input.value.trim()}`);
    return pairs.length ? `${select.value}:${pairs.join(",")}` : select.value;
  };
  set(chosen);
  return { spec, set };
}
