// The playground in a real browser: `cargo xtask play` starts this with the program, the browser and a folder for pictures.

import { check, crowd, download, drag, failed, found, generate, openTab, output, placeOf, ready, shot, startBrowser, startServer, state, step, toastSays, WAIT } from "./harness.mjs";
import { deflateSync } from "node:zlib";

const { server, ended, url } = await startServer();
const browser = await startBrowser();
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "dark", acceptDownloads: true });
let page = null;

await step("the page opens, with a map, its index and a path", async () => {
  page = await openTab(context, url);
  const path = await found(page);
  check(path.status === "arrived" && path.cells.length > 20, "no path");
  check(Math.abs(path.length - path.optimal) < 1e-6, `${path.length} is not the optimal ${path.optimal}`);
  check(path["worst-move"] <= path.bound, "a move took more operations than the bound");
  await shot(page, "01-opened");
});

await step("a wall is drawn, the path goes round it, and undo takes it back", async () => {
  const before = await found(page);
  const middle = before.cells[Math.floor(before.cells.length / 2)];
  const [x, y] = [middle % before.columns, Math.floor(middle / before.columns)];
  await page.keyboard.press("w");
  await drag(page, await placeOf(page, x, Math.max(0, y - 3)), await placeOf(page, x, y + 3));
  await page.waitForFunction((middle) => !window.playground.lastFound()[0].path.includes(middle), middle, { timeout: WAIT });
  const after = await found(page);
  check(after.length >= before.length && !after.cells.includes(middle), "the path goes through the wall");
  await shot(page, "02-wall");
  await page.keyboard.press("Control+z");
  await page.waitForFunction((length) => window.playground.lastFound()[0].facts.length === length, before.length, { timeout: WAIT });
});

await step("the goal is dragged and the path follows", async () => {
  const before = await found(page);
  await page.keyboard.press("v");
  const [x, y] = [before.cells[10] % before.columns, Math.floor(before.cells[10] / before.columns)];
  await drag(page, await placeOf(page, ...before.goal), await placeOf(page, x, y));
  const after = await found(page);
  check(String(after.goal) === String([x, y]) && after.length < before.length, "the path did not follow");
});

await step("two methods head to head, replayed step by step", async () => {
  await page.reload();
  await ready(page);
  await page.check("#versus");
  await page.waitForFunction(() => window.playground.lastFound()[1]?.facts.status === "arrived", null, { timeout: WAIT });
  const both = await state(page, () => window.playground.lastFound().map((one) => one.facts));
  check(both[0].spec === "waypost" && both[1].spec === "astar", "other methods");
  check(both[1].expansions > 100 && both[1].events > 100, "no search to replay");
  await page.click("#replay-play");
  await page.waitForTimeout(1500);
  await page.click("#replay-play");
  const at = Number(await page.inputValue("#replay-time"));
  check(at > 0 && at < both[1].events, `the replay is at ${at}`);
  await page.click("#replay-step");
  check(Number(await page.inputValue("#replay-time")) === at + 1, "a step is more than a step");
  await shot(page, "03-versus");
  for (const spec of both.map((facts) => facts.spec)) check((await page.textContent("#results")).includes(spec), "no figures");
  await page.uncheck("#versus");
});

await step("every method of the registry can be chosen and answers", async () => {
  const names = await page.locator("#methods .method:first-child select option").allTextContents();
  check(names.length >= 18, `${names.length} methods`);
  for (const name of names) {
    await page.selectOption("#methods .method:first-child select", name);
    await page.waitForFunction((name) => window.playground.lastFound()[0]?.facts.spec === name, name, { timeout: WAIT });
    const { status, words } = await state(page, () => window.playground.lastFound()[0].facts);
    check(status === "arrived" || status === "gave-up" || status === "stopped", `${name}: ${status} ${words}`);
  }
  await page.selectOption("#methods .method:first-child select", "tba");
  await state(page, () => document.querySelectorAll("#methods details").forEach((more) => { more.open = true; }));
  await page.fill("#methods [data-key=slice]", "25");
  await page.press("#methods [data-key=slice]", "Tab");
  await page.waitForFunction(() => window.playground.lastFound()[0].facts.spec === "tba:slice=25", null, { timeout: WAIT });
  await page.fill("#methods [data-key=slice]", "nonsense");
  await page.press("#methods [data-key=slice]", "Tab");
  await page.waitForFunction(() => window.playground.lastFound()[0].facts.words.includes("nonsense"), null, { timeout: WAIT });
  await page.fill("#methods [data-key=slice]", "");
  await page.selectOption("#methods .method:first-child select", "waypost");
});

await step("doors are drawn, closed and opened", async () => {
  await page.keyboard.press("Escape");
  await page.locator("#view").focus();
  const path = await found(page);
  const cell = path.cells[12];
  const at = [cell % path.columns, Math.floor(cell / path.columns)];
  await page.keyboard.press("d");
  await page.mouse.click(...await placeOf(page, ...at));
  await page.waitForFunction(() => !document.getElementById("undo").disabled, null, { timeout: WAIT });
  await page.waitForTimeout(400);
  await page.mouse.click(...await placeOf(page, ...at));
  await page.waitForFunction((cell) => !window.playground.lastFound()[0].path.includes(cell), cell, { timeout: WAIT });
  await page.waitForTimeout(400);
  await page.mouse.click(...await placeOf(page, ...at));
  await page.waitForFunction((length) => window.playground.lastFound()[0].facts.length === length, path.length, { timeout: WAIT });
  await page.keyboard.press("v");
});

await step("a crowd walks, is selected, sent, followed, paused and stepped", async () => {
  await crowd(page, 300);
  await page.waitForFunction(() => Number.isFinite(window.playground.app.units.efficiency), null, { timeout: WAIT });
  await page.locator("#view").focus();
  await page.keyboard.press("u");
  const box = await page.locator("#view").boundingBox();
  await drag(page, [box.x + 5, box.y + 90], [box.x + box.width / 2, box.y + box.height - 90]);
  const selected = await state(page, () => window.playground.app.selected.size);
  check(selected > 10 && selected < 300, `${selected} are selected`);
  const { from } = await state(page, () => window.playground.app.ends);
  await page.mouse.click(...await placeOf(page, from[0] + 2, from[1] + 2));
  await page.waitForFunction(() => {
    const { units } = window.playground.app;
    return units.states.filter((state) => state >> 4 === 2).length > 10;
  }, null, { timeout: WAIT });
  await shot(page, "04-crowd");
  await page.keyboard.press("f");
  await page.waitForFunction(() => window.playground.app.units.ahead.length > 0 && window.playground.camera.scale >= 6, null, { timeout: WAIT });
  await shot(page, "05-followed");
  await page.keyboard.press("f");
  await page.keyboard.press("0");
  await page.click("#pause");
  await page.waitForTimeout(300);
  const still = await state(page, () => window.playground.app.units.tick);
  await page.waitForTimeout(300);
  check(await state(page, () => window.playground.app.units.tick) === still, "it ticks while it is paused");
  await page.click("#step");
  await page.waitForFunction((tick) => window.playground.app.units.tick === tick + 1, still, { timeout: WAIT });
  await page.click("#pause");
  await page.check("#exclusive");
  await crowd(page, 300);
  await page.waitForFunction(() => window.playground.app.units.tick > 60, null, { timeout: WAIT });
  const cells = await state(page, () => new Set(window.playground.app.units.cells).size === window.playground.app.units.count);
  check(cells, "two units stand in one cell");
  await page.uncheck("#exclusive");
});

await step("layers show what indexes know", async () => {
  await page.click("#crowd-stop");
  await state(page, () => { document.getElementById("part-layers").open = true; });
  for (const layer of ["corners", "sectors", "record", "cliques", "first-moves"]) {
    await page.check(`[data-layer=${layer}]`);
    await page.waitForFunction((layer) => window.playground.layerShown()?.facts.layer === layer, layer, { timeout: WAIT });
    const { facts, numbers } = await state(page, () => ({ facts: window.playground.layerShown().facts, numbers: window.playground.layerShown().numbers.length }));
    check(numbers > 0, `${layer}: nothing to draw, ${JSON.stringify(facts)}`);
    await page.waitForTimeout(100);
    await shot(page, `06-layer-${layer}`);
  }
  await page.uncheck("[data-layer=first-moves]");
});

await step("files, pictures, films, traces, lines and links can be taken along", async () => {
  await state(page, () => { document.getElementById("part-export").open = true; });
  const map = await download(page, "#save-map");
  check(map.name === "rooms.map" && String(map.bytes.subarray(0, 11)) === "type octile", map.name);
  const png = await download(page, "#save-png");
  check(png.bytes.subarray(1, 4).toString() === "PNG" && png.bytes.length > 4000, "no picture");
  const trace = await download(page, "#save-trace");
  check(trace.bytes.toString().startsWith("version: 1.4.0"), "no trace");
  await crowd(page, 50);
  await page.waitForTimeout(300);
  const begun = Date.now();
  await page.click("#save-gif");
  await page.waitForTimeout(900);
  const gif = await download(page, "#save-gif");
  const took = Date.now() - begun;
  check(gif.bytes.subarray(0, 6).toString() === "GIF89a" && gif.bytes.at(-1) === 0x3b, "no film");
  const shown = await state(page, async (bytes) => {
    const decoder = new ImageDecoder({ data: Uint8Array.from(bytes), type: "image/gif" });
    await decoder.tracks.ready;
    const frames = decoder.tracks.selectedTrack.frameCount;
    // What was shown before the last picture: its own time is a guess.
    let milliseconds = 0;
    let size = [0, 0];
    for (let frameIndex = 0; frameIndex < frames; frameIndex += 1) {
      const { image } = await decoder.decode({ frameIndex });
      if (frameIndex + 1 < frames) milliseconds += image.duration / 1000;
      size = [image.displayWidth, image.displayHeight];
      image.close();
    }
    decoder.close();
    const { view } = window.playground;
    return { frames, milliseconds, strip: size[1] - Math.round(view.height * size[0] / view.width) };
  }, [...gif.bytes]);
  check(shown.frames >= 2, `${shown.frames} frames`);
  check(shown.milliseconds > 500 && shown.milliseconds <= took + 50, `a film of ${shown.milliseconds} ms, taken in ${took}`);
  check(shown.strip > 30, `no strip below the film: ${shown.strip} pixels`);
  await page.click("#crowd-stop");
  await page.click("[data-lines=command]");
  await page.waitForFunction(() => document.getElementById("lines").textContent.includes("waypost solve"), null, { timeout: WAIT });
  await page.click("[data-lines=rust]");
  check((await page.textContent("#lines")).includes("use waypost::prelude::*;"), "no Rust");
  await page.click("[data-lines=python]");
  check((await page.textContent("#lines")).includes("import waypost"), "no Python");
  await shot(page, "07-taken-along");
  await page.click("#share");
  await page.waitForFunction(() => location.hash.includes("map="), null, { timeout: WAIT });
  const other = await openTab(context, page.url());
  check((await state(other, () => window.playground.app.map.name)) === "shared.map", "the link opened another map");
  await state(other, () => { document.getElementById("part-export").open = true; });
  const again = await download(other, "#save-map");
  check(again.bytes.equals(map.bytes), "the link's map is not the map");
  await other.close();
  await state(page, () => { document.getElementById("part-export").open = false; history.replaceState(null, "", location.pathname); });
});

const TMX = `<?xml version="1.0"?><map version="1.10" orientation="orthogonal" width="4" height="3" tilewidth="8" tileheight="8"><tileset firstgid="1" name="t" tilewidth="8" tileheight="8" tilecount="1" columns="1"/><layer id="1" name="walls" width="4" height="3"><data encoding="csv">0,0,1,0,0,0,1,0,0,0,0,0</data></layer></map>`;

function image(width, height) {
  const crc = (bytes) => {
    let sum = ~0;
    for (const byte of bytes) {
      sum ^= byte;
      for (let i = 0; i < 8; i += 1) sum = sum & 1 ? sum >>> 1 ^ 0xedb88320 : sum >>> 1;
    }
    return ~sum >>> 0;
  };
  const chunk = (name, content) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(content.length);
    const body = Buffer.concat([Buffer.from(name), content]);
    const tail = Buffer.alloc(4);
    tail.writeUInt32BE(crc(body));
    return Buffer.concat([head, body, tail]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size[8] = 8;
  const rows = Buffer.alloc(height * (width + 1), 255);
  for (let y = 0; y < height; y += 1) rows[y * (width + 1)] = 0;
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk("IHDR", size), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

await step("files are opened, and bad ones are refused with words", async () => {
  const give = (name, content) => page.setInputFiles("#file", { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
  await give("bad.map", "type octile\nheight 2\nwidth 3\nmap\n..x\n...\n");
  const words = await toastSays(page, "bad.map");
  check(words.includes("line 5"), words);
  await give("noise.png", "\x89PNG and nothing else");
  await toastSays(page, "noise.png");
  await give("empty.map", "");
  await toastSays(page, "empty");
  await give("huge.png", image(60000, 60).subarray(0, 200));
  await toastSays(page, "huge.png");
  for (const [name, content, width] of [["small.map", "type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n", 3], ["level.tmx", TMX, 4], ["picture.png", image(30, 20), 30]]) {
    await give(name, content);
    await page.waitForFunction((width) => window.playground.app.map.width === width && window.playground.app.ready, width, { timeout: WAIT });
  }
  // The same by drag and drop.
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["type octile\nheight 2\nwidth 5\nmap\n.....\n.....\n"], "dropped.map"));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => window.playground.app.map.name === "dropped.map" && window.playground.app.ready, null, { timeout: WAIT });
});

await step("two tabs have two worlds, and a reload begins again", async () => {
  const other = await openTab(context, url);
  await generate(other, "maze", 61, 41, 2);
  await generate(page, "caves", 80, 60, 2);
  await crowd(other, 50);
  const widths = await Promise.all([page, other].map((tab) => state(tab, () => window.playground.app.map.width)));
  check(String(widths) === "80,61", `the tabs have maps of ${widths} columns`);
  check(await state(page, () => window.playground.app.units === null), "a crowd walks in both tabs");
  await other.reload();
  await ready(other);
  check(await state(other, () => window.playground.app.map.width) === 96, "the reload did not begin again");
  await other.close();
});

await step("clicks, links and searches that come fast, or at the wrong time", async () => {
  const tab = await openTab(context, url);
  const first = await found(tab);
  const cells = [10, 14].map((i) => [first.cells[i] % first.columns, Math.floor(first.cells[i] / first.columns)]);
  await tab.locator("#view").focus();
  await tab.keyboard.press("d");
  for (const cell of cells) await tab.mouse.click(...await placeOf(tab, ...cell));
  await tab.keyboard.press("v");
  await tab.waitForFunction(() => !document.getElementById("undo").disabled, null, { timeout: WAIT });
  await tab.waitForTimeout(300);
  for (let i = 0; i < 2; i += 1) await tab.keyboard.press("Control+z");
  await tab.waitForFunction(() => document.getElementById("undo").disabled, null, { timeout: WAIT });
  // Beyond the map there is nothing to erase.
  await tab.keyboard.press("e");
  await tab.mouse.click(...await placeOf(tab, 20, -1));
  await tab.keyboard.press("v");
  // Head to head, and the goal moved while another map is made.
  await tab.check("#versus");
  await state(tab, () => { document.getElementById("part-map").open = true; });
  await tab.selectOption("#kind", "caves");
  for (const id of ["width", "height"]) await tab.fill(`#${id}`, "500");
  await tab.locator("#view").focus();
  await tab.keyboard.press("ArrowLeft");
  await state(tab, () => document.querySelector("#generate button").click());
  await tab.keyboard.press("g");
  await tab.waitForFunction(() => window.playground.app.map.width === 500 && window.playground.lastFound().every(Boolean), null, { timeout: WAIT });
  check(await state(tab, () => document.getElementById("undo").disabled), "something was drawn beyond the map");
  // Links: into an open page, and damaged ones.
  await state(tab, () => { location.hash = "seed=maze,61,41,1,0&ends=1,1,99,99"; });
  await toastSays(tab, "not on its map");
  check(await state(tab, () => window.playground.app.map.width) === 61, "the link was not opened");
  await state(tab, () => { location.hash = "seed=maze,-5,41,1,0"; });
  await toastSays(tab, "damaged");
  await tab.fill("#crowd-seed", "1e30");
  await crowd(tab, 10);
  await tab.close();
});

await step("the keyboard is enough", async () => {
  await page.locator("#view").focus();
  const cells = await state(page, () => {
    const { app, camera } = window.playground;
    return [app.ends.goal, camera.scale];
  });
  for (const key of ["ArrowLeft", "ArrowUp", "Shift+ArrowRight", "+", "w", "Enter", "e", "Enter"]) await page.keyboard.press(key);
  await page.waitForFunction(() => !document.getElementById("undo").disabled, null, { timeout: WAIT });
  await page.waitForTimeout(300);
  for (let i = 0; i < 2; i += 1) await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.getElementById("undo").disabled, null, { timeout: WAIT });
  await page.keyboard.press("g");
  await page.waitForFunction((goal) => String(window.playground.app.ends.goal) !== String(goal), cells[0], { timeout: WAIT });
  check(await state(page, () => window.playground.camera.scale) > cells[1], "plus does not zoom");
  await page.keyboard.press("?");
  check(await page.locator("#help").isVisible(), "no help");
  await shot(page, "08-keys");
  await page.keyboard.press("Escape");
  const nameless = await state(page, () => [...document.querySelectorAll("button, input, select, canvas[role]")].filter((one) => {
    const label = one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.[0]?.textContent.trim();
    return !label;
  }).map((one) => one.outerHTML));
  check(nameless.length === 0, `without a name for screen readers: ${nameless}`);
});

await step("a tablet: two fingers zoom, one moves, the light theme", async () => {
  const tablet = await browser.newContext({ viewport: { width: 820, height: 1180 }, hasTouch: true, isMobile: true, colorScheme: "light" });
  const tab = await openTab(tablet, url);
  check(!await tab.locator("#panel").isVisible(), "the controls lie over the map");
  const before = await state(tab, () => ({ ...window.playground.camera }));
  const session = await tablet.newCDPSession(tab);
  const fingers = (...points) => points.map(([x, y], id) => ({ x, y, id }));
  const touch = (type, ...points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: fingers(...points) });
  await touch("touchStart", [400, 500], [440, 500]);
  for (let i = 1; i <= 10; i += 1) await touch("touchMove", [400 - 8 * i, 500], [440 + 8 * i, 500]);
  await touch("touchEnd");
  const zoomed = await state(tab, () => ({ ...window.playground.camera }));
  check(zoomed.scale > 2 * before.scale, `the scale went from ${before.scale} to ${zoomed.scale}`);
  await touch("touchStart", [300, 300]);
  for (let i = 1; i <= 10; i += 1) await touch("touchMove", [300 + 8 * i, 300]);
  await touch("touchEnd");
  const moved = await state(tab, () => ({ ...window.playground.camera }));
  check(moved.x < zoomed.x, "one finger does not move the map");
  await tab.waitForTimeout(400);
  await tab.tap("#fit");
  await tab.waitForFunction((scale) => Math.abs(window.playground.camera.scale - scale) < 1e-9, before.scale, { timeout: WAIT });
  await shot(tab, "09-tablet");
  await tablet.close();
});

await step("ten thousand units on three million cells, with walls drawn under them", async () => {
  await generate(page, "arena", 2000, 1500, 1);
  await page.selectOption("#rate", "60");
  await crowd(page, 10000);
  const count = await state(page, () => window.playground.app.units.count);
  check(count === 10000, `${count} units`);
  await page.waitForTimeout(6000);
  const begun = await state(page, () => window.playground.app.units.tick);
  const shown = await state(page, async () => {
    const fps = [];
    for (let i = 0; i < 4; i += 1) {
      await new Promise((go) => setTimeout(go, 1000));
      fps.push(window.playground.app.fps);
    }
    const { units } = window.playground.app;
    return { fps, mean: units.mean, bytes: units.bytes, tick: units.tick };
  });
  check(shown.bytes <= 60000, `a frame of ${shown.bytes} bytes`);
  check(shown.tick > begun, "it does not tick");
  await shot(page, "10-ten-thousand");
  await page.locator("#view").focus();
  await page.keyboard.press("w");
  await page.fill("#brush", "9");
  await page.press("#brush", "Enter");
  const box = await page.locator("#view").boundingBox();
  await drag(page, [box.x + box.width * 0.35, box.y + box.height * 0.3], [box.x + box.width * 0.6, box.y + box.height * 0.75], 30);
  await page.waitForFunction(() => document.getElementById("patched").textContent.includes("cells"), null, { timeout: WAIT });
  const tick = await state(page, () => window.playground.app.units.tick);
  await page.waitForFunction((tick) => window.playground.app.units.tick > tick + 60, tick, { timeout: WAIT });
  const after = await state(page, () => {
    const { micros } = window.playground.ticks();
    return { mean: window.playground.app.units.mean, worst: Math.max(...micros), fps: window.playground.app.fps };
  });
  await shot(page, "11-walls-under-them");
  const ms = (micros) => (micros / 1000).toFixed(2);
  console.log(`          10,000 units, 3,000,000 cells: tick and frame ${ms(shown.mean)} ms in the mean (goal: below 4), ${shown.bytes} bytes a frame; the page drew ${shown.fps.join(", ")} frames/s (goal: 30 or more)`);
  console.log(`          with walls drawn under them: ${ms(after.mean)} ms in the mean, worst of the latest ticks ${ms(after.worst)} ms, ${after.fps} frames/s`);
  await page.keyboard.press("v");
});

await step("Ctrl-C says good-bye to the tabs and ends the server", async () => {
  server.kill("SIGINT");
  await page.waitForFunction(() => document.getElementById("offline-words").textContent.includes("stopped"), null, { timeout: WAIT });
  const end = await Promise.race([ended, new Promise((late) => setTimeout(() => late({ code: "none in 8 s" }), 8000))]);
  check(end.code === 0, `exit code ${end.code}, signal ${end.signal}`);
});

await browser.close();
if (server.exitCode === null) server.kill("SIGKILL");
console.log(`pictures: ${output}`);
process.exit(failed() ? 1 : 0);
