// The picture and the film of the README: `cargo xtask play --pictures`.

import { crowd, failed, generate, openTab, startBrowser, startServer, state, step } from "./harness.mjs";
import { writeFileSync } from "node:fs";

const { server, url } = await startServer();
const browser = await startBrowser();
const context = await browser.newContext({ viewport: { width: 1280, height: 760 }, colorScheme: "dark", acceptDownloads: true });

await step("the picture and the film", async () => {
  const page = await openTab(context, url);
  await generate(page, "arena", 2000, 1500, 1);
  await page.selectOption("#rate", "60");
  await crowd(page, 10000);
  await page.waitForTimeout(5000);
  await page.locator("#view").focus();
  await page.keyboard.press("w");
  await page.fill("#brush", "7");
  await page.press("#brush", "Enter");
  await state(page, () => { document.getElementById("panel").scrollTop = document.getElementById("part-crowd").offsetTop - 50; });
  // The page takes the film itself, a picture at a time, so that the walls are in it however busy the machine is.
  const box = await page.locator("#view").boundingBox();
  const at = (x, y) => [box.x + box.width * x, box.y + box.height * y];
  const walls = [[8, 20, 0.345, 0.46, 0.62], [24, 36, 0.62, 0.55, 0.7]];
  await state(page, () => { window.film = new window.playground.Film(720); });
  for (let picture = 0; picture < 48; picture += 1) {
    const due = Date.now() + 120;
    await state(page, () => window.film.shoot());
    for (const [from, to, x, top, bottom] of walls) {
      if (picture < from || picture > to) continue;
      await page.mouse.move(...at(x, top + (bottom - top) * (picture - from) / (to - from)));
      if (picture === from) await page.mouse.down();
      if (picture === to) await page.mouse.up();
    }
    await page.waitForTimeout(Math.max(0, due - Date.now()));
  }
  writeFileSync("docs/playground.gif", Uint8Array.from(await state(page, () => [...window.film.end()])));
  await page.keyboard.press("v");
  await page.screenshot({ path: "docs/guide/src/images/playground.png" });
});

await browser.close();
server.kill("SIGINT");
process.exit(failed() ? 1 : 0);
