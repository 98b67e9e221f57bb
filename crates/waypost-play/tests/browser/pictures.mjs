// The picture and the film of the README: `cargo xtask play --pictures`.

import { crowd, drag, failed, generate, openTab, startBrowser, startServer, state, step } from "./harness.mjs";
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
  // The film begins before the wall is drawn and is taken by the page itself.
  const film = state(page, async () => {
    const film = new window.playground.Film(720);
    const begun = performance.now();
    for (let i = 0; i < 48; i += 1) {
      await new Promise((go) => setTimeout(go, begun + 120 * i - performance.now()));
      film.shoot();
    }
    return [...film.end()];
  });
  await page.waitForTimeout(1500);
  const box = await page.locator("#view").boundingBox();
  const at = (x, y) => [box.x + box.width * x, box.y + box.height * y];
  await drag(page, at(0.345, 0.46), at(0.345, 0.62), 20);
  await drag(page, at(0.62, 0.55), at(0.62, 0.7), 20);
  writeFileSync("docs/playground.gif", Uint8Array.from(await film));
  await page.keyboard.press("v");
  await page.screenshot({ path: "docs/guide/src/images/playground.png" });
});

await browser.close();
server.kill("SIGINT");
process.exit(failed() ? 1 : 0);
