// The WebSocket: asks to the server, frames from it.

import { app, emit, status, toast } from "./app.js";

const VERSION = 1;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let socket = null;
let accepted = null; // called when the server takes an upload, or does not
let uploads = Promise.resolve(); // one after the other

export function connect() {
  socket = new WebSocket(`ws://${location.host}${location.pathname}socket`);
  socket.binaryType = "arraybuffer";
  socket.onmessage = (message) => receive(message.data);
  socket.onclose = (event) => {
    accepted?.(false);
    accepted = null;
    app.ready = false;
    emit("closed", event.reason || "The server does not answer. Where it was stopped, start `waypost play` again and open the address that it prints.");
  };
}

export const isOpen = () => socket?.readyState === WebSocket.OPEN;

function framed(kind, body) {
  const frame = new Uint8Array(body.length + 2);
  frame[0] = VERSION;
  frame[1] = kind;
  frame.set(body, 2);
  return frame;
}

export function ask(what, facts = {}) {
  if (isOpen()) socket.send(framed(0, encoder.encode(JSON.stringify({ ask: what, ...facts }))));
}

// Sends a file in parts, once those before it are through and the server has said that it takes it.
export function upload(name, content, more = {}) {
  uploads = uploads.then(() => send(name, content, more));
  return uploads;
}

async function send(name, content, more) {
  if (!isOpen()) return toast(`${name}: the page is not connected.`);
  if (content.length === 0) return toast(`${name}: the file is empty.`);
  const most = app.hello["upload-bytes"];
  if (content.length > most) {
    return toast(`${name}: the file has ${content.length} bytes; the playground takes up to ${most} bytes.`);
  }
  const taken = new Promise((resolve) => { accepted = resolve; });
  ask("upload", { name, bytes: content.length, ...more });
  if (!await taken) return;
  for (let at = 0; at < content.length && isOpen(); at += app.hello.part) {
    socket.send(framed(1, content.subarray(at, at + app.hello.part)));
    while (isOpen() && socket.bufferedAmount > 8e6) await new Promise((go) => setTimeout(go, 10));
  }
}

function receive(buffer) {
  const head = new Uint8Array(buffer, 0, 2);
  if (head[0] !== VERSION) {
    toast("The server speaks another version than this page: reload.");
    return;
  }
  switch (head[1]) {
    case 0: return note(JSON.parse(decoder.decode(new Uint8Array(buffer, 2))));
    case 1: return emit("tile", buffer);
    case 2: return emit("units", buffer);
    case 3: return emit("found", parts(buffer));
    case 4: return emit("layer", parts(buffer));
    case 5: return emit("file", parts(buffer));
  }
}

// JSON, and what follows it.
function parts(buffer) {
  const length = new DataView(buffer).getUint32(4, true);
  const facts = JSON.parse(decoder.decode(new Uint8Array(buffer, 8, length)));
  const at = Math.ceil((8 + length) / 4) * 4;
  return { facts, buffer, at, numbers: () => new Uint32Array(buffer, at) };
}

function note(facts) {
  if (facts.tell === "upload" || facts.about === "upload") {
    accepted?.(facts.tell === "upload");
    accepted = null;
  }
  if (facts.tell === "trouble") {
    status(facts.words);
    toast(facts.words);
  }
  // Whoever listens may look at these.
  if (facts.tell === "hello") app.hello = facts;
  if (facts.tell === "map") Object.assign(app, { map: facts, ready: false });
  if (facts.tell === "ready") app.ready = true;
  emit(facts.tell, facts);
}
