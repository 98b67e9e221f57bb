// A map of 100 million cells, moved and zoomed as by a hand: `cargo xtask play --large`.

import { check, failed, openTab, output, program, shot, shown, startBrowser, startServer, state, step, WAIT } from "./harness.mjs";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const WIDTH = 12500;
const HEIGHT = 8000;
const file = join(output, "large.map");
const seconds = (from) => ((performance.now() - from) / 1000).toFixed(1);

let begun = performance.now();
execFileSync(program, ["gen", "arena", "--width", String(WIDTH), "--height", String(HEIGHT), "--seed", "1", "-o", file]);
console.log(`          ${WIDTH} x ${HEIGHT} = ${WIDTH * HEIGHT} cells, made in ${seconds(begun)} s`);

begun = performance.now();
const { server, url } = await startServer(file);
const browser = await startBrowser();
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "dark" });
const memory = () => {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  const of = (name) => Math.round(Number(status.match(new RegExp(`${name}:\\s+(\\d+)`))[1]) * 1.024 / 1000);
  return { now: of("VmRSS"), most: of("VmHWM") };
};
let page = null;

// Counts the frames that the page draws and how long it waits for tiles, while something is done.
async function watched(act) {
  await state(page, () => {
    const { isComplete } = window.playground;
    const watch = { at: [], waits: [], since: null, on: true };
    const look = (now) => {
      if (!watch.on) return;
      watch.at.push(now);
      if (isComplete()) {
        if (watch.since !== null) watch.waits.push(now - watch.since);
        watch.since = null;
      } else watch.since ??= now;
      requestAnimationFrame(look);
    };
    window.watch = watch;
    requestAnimationFrame(look);
  });
  const begun = performance.now();
  await act();
  await page.waitForFunction(() => window.playground.isComplete(), null, { timeout: WAIT });
  const took = (performance.now() - begun) / 1000;
  const { at, waits } = await state(page, () => { window.watch.on = false; return window.watch; });
  const gaps = at.slice(1).map((now, i) => now - at[i]).sort((a, b) => a - b);
  const of = (list, part) => Math.round(list[Math.min(list.length - 1, Math.floor(list.length * part))] ?? 0);
  waits.sort((a, b) => a - b);
  return {
    fps: Math.round(gaps.length / (gaps.reduce((a, b) => a + b, 0) / 1000)),
    words: `${took.toFixed(1)} s, gaps between frames median ${of(gaps, 0.5)}, 99% ${of(gaps, 0.99)}, longest ${of(gaps, 1)} ms; waits for tiles median ${of(waits, 0.5)}, longest ${of(waits, 1)} ms`,
  };
}

function tell(what, { fps, words }) {
  console.log(`          ${what}: ${fps} frames/s; ${words}`);
  check(fps >= 20, `${what}: ${fps} frames/s`);
}

const scaleNow = () => state(page, () => window.playground.camera.scale);

// Turns the wheel until a cell has this many pixels.
async function zoomTo(scale) {
  const inwards = await scaleNow() < scale;
  for (let i = 0; i < 200 && (await scaleNow() < scale) === inwards; i += 1) {
    await page.mouse.wheel(0, inwards ? -120 : 120);
    await page.waitForTimeout(30);
  }
}

// Drags the map on and on, as a hand does: a step every 16 ms, half a view at a time.
async function travel(box, times) {
  const at = (part, lower) => [box.x + box.width * part, box.y + box.height * lower];
  const before = await state(page, () => window.playground.camera.x);
  for (let i = 0; i < times; i += 1) {
    await page.mouse.move(...at(0.8, 0.5));
    await page.mouse.down();
    for (let part = 1; part <= 20; part += 1) {
      await page.mouse.move(...at(0.8 - 0.6 * part / 20, 0.5 + 0.1 * part / 20));
      await page.waitForTimeout(16);
    }
    await page.mouse.up();
  }
  const after = await state(page, () => window.playground.camera.x);
  check(Math.abs(after - before) * await scaleNow() > 300, `the map moved from ${before} to ${after}`);
}

await step("a map of 100 million cells is shown", async () => {
  page = await openTab(context, url, shown);
  const map = await state(page, () => [window.playground.app.map.width, window.playground.app.map.height]);
  check(map[0] === WIDTH && map[1] === HEIGHT, `the map is ${map}`);
  console.log(`          shown ${seconds(begun)} s after the start of the server and of the browser; the server holds ${memory().now} MB`);
  await shot(page, "large-1-whole");
});

await step("it is moved and zoomed while its index is built", async () => {
  const box = await page.locator("#view").boundingBox();
  const middle = [box.x + box.width * 0.3, box.y + box.height * 0.5];
  await page.locator("#view").focus();
  await page.keyboard.press("v");
  for (const [scale, times, name] of [[0.25, 4, "quarter"], [1, 12, "pixel"], [16, 12, "cells"]]) {
    await page.mouse.move(...middle);
    tell(`zoomed in until a cell has ${scale} px`, await watched(() => zoomTo(scale)));
    tell(`dragged on ${times} times there`, await watched(() => travel(box, times)));
    await shot(page, `large-2-${name}`);
  }
  await page.mouse.move(...middle);
  tell("zoomed out to the whole", await watched(() => zoomTo(0.05)));
  await shot(page, "large-3-out");
  const heap = await state(page, () => performance.memory?.usedJSHeapSize ?? 0);
  const { now, most } = memory();
  console.log(`          the server holds ${now} MB, ${most} MB at most; the page's heap ${Math.round(heap / 1e6)} MB`);
});

await browser.close();
server.kill("SIGINT");
process.exit(failed() ? 1 : 0);
