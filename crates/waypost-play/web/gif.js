// Animated GIFs: the colours of a cube, what has not changed left clear, packed as the format wants it (LZW).

const LEVELS = [6, 7, 6]; // of red, green and blue: 252 colours
const CLEAR = 255;

export class Gif {
  constructor(width, height, pause) {
    Object.assign(this, { width, height, pause: Math.round(pause / 10), last: null, parts: [] });
    const head = [71, 73, 70, 56, 57, 97, ...word(width), ...word(height), 0xf7, 0, 0];
    for (let i = 0; i < 256; i += 1) head.push(...shade(i));
    head.push(0x21, 0xff, 11, ..."NETSCAPE2.0".split("").map((letter) => letter.charCodeAt(0)), 3, 1, 0, 0, 0);
    this.parts.push(Uint8Array.from(head));
  }

  add(pixels) {
    const indices = new Uint8Array(this.width * this.height);
    for (let i = 0; i < indices.length; i += 1) indices[i] = nearest(pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]);
    const changed = this.last ? indices.map((index, i) => (index === this.last[i] ? CLEAR : index)) : indices;
    this.last = indices;
    this.parts.push(Uint8Array.from([0x21, 0xf9, 4, 0x05, ...word(this.pause), CLEAR, 0, 0x2c, 0, 0, 0, 0, ...word(this.width), ...word(this.height), 0, 8]));
    this.parts.push(pack(changed));
  }

  end() {
    const length = this.parts.reduce((sum, part) => sum + part.length, 1);
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of this.parts) {
      whole.set(part, at);
      at += part.length;
    }
    whole[at] = 0x3b;
    return whole;
  }
}

const word = (number) => [number & 255, number >> 8];

function shade(index) {
  const [reds, greens, blues] = LEVELS;
  if (index >= reds * greens * blues) return [0, 0, 0];
  const blue = index % blues;
  const green = Math.floor(index / blues) % greens;
  const red = Math.floor(index / blues / greens);
  return [red * 255 / (reds - 1), green * 255 / (greens - 1), blue * 255 / (blues - 1)].map(Math.round);
}

function nearest(red, green, blue) {
  const [reds, greens, blues] = LEVELS;
  const r = (red * (reds - 1) / 255 + 0.5) | 0;
  const g = (green * (greens - 1) / 255 + 0.5) | 0;
  const b = (blue * (blues - 1) / 255 + 0.5) | 0;
  return (r * greens + g) * blues + b;
}

// LZW with codes of 9 to 12 bits, in blocks of up to 255 bytes.
function pack(indices) {
  const out = [];
  let block = [];
  let [bits, count] = [0, 0];
  const put = (code, size) => {
    bits |= code << count;
    count += size;
    while (count >= 8) {
      block.push(bits & 255);
      bits >>>= 8;
      count -= 8;
      if (block.length === 255) {
        out.push(255, ...block);
        block = [];
      }
    }
  };
  const [RESET, END] = [256, 257];
  let table = new Map();
  let [next, size] = [258, 9];
  put(RESET, size);
  let prefix = indices[0];
  for (let i = 1; i < indices.length; i += 1) {
    const name = prefix * 256 + indices[i];
    const known = table.get(name);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix, size);
    if (next === 4096) {
      put(RESET, size);
      table = new Map();
      [next, size] = [258, 9];
    } else {
      table.set(name, next);
      if (next === 1 << size) size += 1;
      next += 1;
    }
    prefix = indices[i];
  }
  put(prefix, size);
  put(END, size);
  if (count > 0) put(0, 8 - count);
  if (block.length) out.push(block.length, ...block);
  out.push(0);
  return Uint8Array.from(out);
}
