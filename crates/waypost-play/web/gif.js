// Animated GIFs: the colours that the first picture has most of, what has not changed left clear, packed as the format wants it (LZW).
// A picture is shown until the next one was taken: films run as fast as what they show.

const CLEAR = 255;
const UNKNOWN = 254;
const COLOURS = 250;
const BINS = 1 << 15; // five bits of red, green and blue

export class Gif {
  // Colours that may come later than in the first picture are named.
  constructor(width, height, named = []) {
    Object.assign(this, { width, height, named, taken: [], palette: null });
    this.nearest = new Uint8Array(BINS).fill(UNKNOWN);
  }

  // A picture that was taken at a time, in milliseconds.
  add(pixels, at) {
    this.palette ??= [...this.named, ...commonColours(pixels, COLOURS - this.named.length)];
    const indices = new Uint8Array(this.width * this.height);
    for (let i = 0; i < indices.length; i += 1) indices[i] = this.index(pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]);
    this.taken.push({ indices, at });
  }

  head() {
    const head = [71, 73, 70, 56, 57, 97, ...word(this.width), ...word(this.height), 0xf7, 0, 0];
    for (let i = 0; i < 256; i += 1) head.push(...this.palette[i] ?? [0, 0, 0]);
    head.push(0x21, 0xff, 11, ..."NETSCAPE2.0".split("").map((letter) => letter.charCodeAt(0)), 3, 1, 0, 0, 0);
    return Uint8Array.from(head);
  }

  // How long each picture is shown, in hundredths of a second: in all as long as it took.
  pauses() {
    const begun = this.taken[0].at;
    const ends = this.taken.slice(1).map(({ at }) => Math.round((at - begun) / 10));
    const pauses = ends.map((end, i) => Math.max(2, end - (ends[i - 1] ?? 0)));
    return [...pauses, pauses.at(-1) ?? 10];
  }

  // The colour of the palette nearest to this one; looked for once for all that share its bits.
  index(red, green, blue) {
    const bin = red >> 3 << 10 | green >> 3 << 5 | blue >> 3;
    if (this.nearest[bin] !== UNKNOWN) return this.nearest[bin];
    let [best, least] = [0, Infinity];
    this.palette.forEach(([r, g, b], i) => {
      const distance = 3 * (r - red) ** 2 + 4 * (g - green) ** 2 + 2 * (b - blue) ** 2;
      if (distance < least) [best, least] = [i, distance];
    });
    this.nearest[bin] = best;
    return best;
  }

  end() {
    const parts = [this.head()];
    const pauses = this.pauses();
    this.taken.forEach(({ indices }, at) => {
      const last = this.taken[at - 1]?.indices;
      const changed = last ? indices.map((index, i) => (index === last[i] ? CLEAR : index)) : indices;
      parts.push(Uint8Array.from([0x21, 0xf9, 4, 0x05, ...word(pauses[at]), CLEAR, 0, 0x2c, 0, 0, 0, 0, ...word(this.width), ...word(this.height), 0, 8]));
      parts.push(pack(changed));
    });
    const length = parts.reduce((sum, part) => sum + part.length, 1);
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    whole[at] = 0x3b;
    return whole;
  }
}

// The means of the commonest bins, and a few colours that may come later.
function commonColours(pixels, most) {
  const counts = new Uint32Array(BINS);
  const sums = new Float64Array(3 * BINS);
  for (let i = 0; i < pixels.length; i += 4) {
    const bin = pixels[i] >> 3 << 10 | pixels[i + 1] >> 3 << 5 | pixels[i + 2] >> 3;
    counts[bin] += 1;
    for (let part = 0; part < 3; part += 1) sums[3 * bin + part] += pixels[i + part];
  }
  const known = [...counts.keys()].filter((bin) => counts[bin] > 0).sort((a, b) => counts[b] - counts[a]);
  const means = known.slice(0, most - 8).map((bin) => [0, 1, 2].map((part) => Math.round(sums[3 * bin + part] / counts[bin])));
  const others = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => [bits & 1, bits >> 1 & 1, bits >> 2].map((bit) => 255 * bit));
  return [...means, ...others];
}

const word = (number) => [number & 255, number >> 8];

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
