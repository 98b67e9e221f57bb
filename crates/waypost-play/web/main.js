// The page: begins everything, and draws what is stale, once a frame of the screen.

import { app, element, on, redraw, stale } from "./app.js";
import { camera, resize, view } from "./camera.js";
import { beginTheme, setTheme } from "./colours.js";
import { connect } from "./connection.js";
import "./export.js";
import { Film, picture } from "./film.js";
import { drawLayer, layerShown } from "./layers.js";
import "./maps.js";
import { drawPlot, ticks } from "./plot.js";
import { carryOn, drawPaths, drawSearched, lastFound } from "./search.js";
import { drawMap, isComplete } from "./tiles.js";
import { beginTools, drawTools, setTool } from "./tools.js";
import { drawFollowed, drawUnits, isGliding } from "./units.js";

const drawn = [];  // when the latest frames were drawn
let shownAt = 0;

function drawOverlay(now) {
  const canvas = element("overlay");
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (!app.map) return;
  const ratio = view.ratio;
  const units = () => { if (app.units) drawUnits(context, canvas, now); };
  // Small dots are painted as a whole picture, so they come first.
  const small = camera.scale * 0.8 * ratio <= 5;
  if (small) units();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawSearched(context);
  drawLayer(context);
  drawPaths(context);
  if (!small) units();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawFollowed(context, now);
  drawTools(context);
}

function frame(now) {
  requestAnimationFrame(frame);
  const isBusy = carryOn() || isGliding(now);
  const isDrawn = stale.map || stale.overlay || isBusy;
  if (stale.map) {
    stale.map = false;
    drawMap();
  }
  if (stale.overlay || isBusy) {
    stale.overlay = false;
    drawOverlay(now);
  }
  drawPlot();
  if (isDrawn) drawn.push(now);
  while (drawn.length && drawn[0] < now - 1000) drawn.shift();
  app.fps = drawn.length;
  if (now - shownAt > 500) {
    shownAt = now;
    element("fps").textContent = app.fps ? `${app.fps} frames/s` : "still";
  }
}

on("resized", resize);
new ResizeObserver(resize).observe(element("view"));
beginTheme();
beginTools();
setTool("pan");
resize();
connect();
requestAnimationFrame(frame);

// For tests and for people with the console open.
window.playground = { Film, app, camera, isComplete, lastFound, layerShown, picture, redraw, setTheme, ticks, view };
