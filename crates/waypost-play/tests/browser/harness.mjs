// What the steps of the browser test share: server, browser, tabs, and words about how it went.

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [named, chromiumPath, folder] = process.argv.slice(2);
export const program = resolve(named);
export const output = resolve(folder);
const require = createRequire(join(output, "x.js"));
const { chromium } = require("playwright-core");
mkdirSync(output, { recursive: true });

export const WAIT = 60000;

export async function startServer(...more) {
  const server = spawn(program, ["play", "--no-open", ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => server.once("exit", (code, signal) => done({ code, signal })));
  const url = await new Promise((done, failed) => {
    server.stdout.once("data", (data) => done(String(data).split("\n")[0]));
    server.once("exit", () => failed(new Error("the server ended before it told its address")));
  });
  return { server, ended, url };
}

export async function startBrowser() {
  return chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

export const troubles = [];

// A tab that notes everything that should not happen.
export async function openTab(context, url, until = ready) {
  const page = await context.newPage();
  const host = new URL(url).host;
  page.on("pageerror", (error) => troubles.push(`an error on the page: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error") troubles.push(`console: ${message.text()}`); });
  page.on("request", (request) => {
    const to = new URL(request.url());
    if (!["blob:", "data:"].includes(to.protocol) && to.host !== host) troubles.push(`a request to ${to.host}`);
  });
  await page.goto(url);
  await until(page);
  return page;
}

export const ready = (page) => page.waitForFunction(() => window.playground?.app.ready && window.playground.isComplete(), null, { timeout: WAIT });
// The map is drawn; its index may take longer.
export const shown = (page) => page.waitForFunction(() => window.playground?.app.map && window.playground.isComplete(), null, { timeout: WAIT });
export const state = (page, look, more) => page.evaluate(look, more);

// The path of the first search, once it belongs to what is asked for now.
export async function found(page) {
  await page.waitForFunction(() => {
    const { app, lastFound } = window.playground;
    const one = lastFound()[0];
    return one && String(one.facts.from) === String(app.ends.from) && String(one.facts.goal) === String(app.ends.goal);
  }, null, { timeout: WAIT });
  await page.waitForTimeout(150);
  return state(page, () => {
    const one = window.playground.lastFound()[0];
    return { ...one.facts, cells: [...one.path], columns: window.playground.app.map.width };
  });
}

// Where the middle of a cell is on the page.
export async function placeOf(page, x, y) {
  return state(page, ([x, y]) => {
    const { camera, view } = window.playground;
    const box = document.getElementById("view").getBoundingClientRect();
    return [box.left + (x + 0.5 - camera.x) * camera.scale + view.width / 2, box.top + (y + 0.5 - camera.y) * camera.scale + view.height / 2];
  }, [x, y]);
}

export async function drag(page, from, to, steps = 12) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps });
  await page.mouse.up();
}

export async function generate(page, kind, width, height, seed) {
  await state(page, () => { document.getElementById("part-map").open = true; });
  await page.selectOption("#kind", kind);
  for (const [id, value] of [["width", width], ["height", height], ["seed", seed]]) await page.fill(`#${id}`, String(value));
  await page.click("#generate button");
  await page.waitForFunction(([w, h]) => {
    const { app } = window.playground;
    return app.map?.width === w && app.map.height === h && app.ready;
  }, [width, height], { timeout: 300000 });
}

export async function crowd(page, units) {
  const before = await state(page, () => window.playground.app.units?.epoch ?? -1);
  await state(page, (value) => {
    const slider = document.getElementById("units");
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
  }, 100 * Math.log10(units) / 4);
  await page.click("#crowd-start");
  await page.waitForFunction((before) => {
    const { units } = window.playground.app;
    return units && units.epoch !== before && units.tick > 3;
  }, before, { timeout: WAIT });
}

export const shot = (page, name) => page.screenshot({ path: join(output, `${name}.png`) });

export async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent("download", { timeout: WAIT }), page.click(button)]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

export async function toastSays(page, words) {
  const toast = page.locator(".toast").filter({ hasText: words }).first();
  await toast.waitFor({ timeout: WAIT });
  return toast.textContent();
}

let failures = 0;

// Steps build on each other: after one that fails the rest would say nothing.
export async function step(name, act) {
  if (failures) return console.log(`  not run ${name}`);
  const begun = Date.now();
  troubles.length = 0;
  try {
    await act();
    if (troubles.length) throw new Error(troubles.join("; "));
    console.log(`  passed  ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures += 1;
    console.log(`  FAILED  ${name}: ${error.stack}\n${troubles.join("\n")}`);
  }
}
export const failed = () => failures;

export function check(is, words) {
  if (!is) throw new Error(words);
}
