/** Bytes and numbers that readers stumble over, put in by chance. */
const TOKENS = [
  ...[
    "\n",
    "\r\n",
    "\0",
    "\u001b[2J",
    "\ufeff",
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "#",
    "=",
    "'",
    ";",
    "\ud83d\ude00",
  ],
  ...[
    "NaN",
    "+Inf",
    "-Inf",
    "1e999",
    "-1e-999",
    "9007199254740993",
    "-0",
    "0x10",
    "1_0",
    "true",
    "null",
    '""',
    "{}",
    "[]",
  ],
  ...[
    "# TYPE ",
    "# HELP ",
    "# UNIT ",
    "# EOF\n",
    "_bucket",
    "_total",
    "_sum",
    "_count",
    "_created",
    'le="',
    "__proto__",
  ],
  ...[
    '"timestamp_ns":',
    '"endpoint_url":',
    '"metrics":',
    '"event":',
    '"duplicate":true',
    '"error":null',
    "constructor",
  ],
].map((text) => Buffer.from(text));

/** Changes bytes of `seed`, sometimes with a piece of `other`; at most eight changes. */
export function mutate(seed: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  let bytes: Uint8Array = seed;
  const changes = 1 + Math.floor(random() ** 3 * 8);
  for (let i = 0; i < changes; i++) bytes = changed(bytes, other, random);
  return bytes;
}

function changed(bytes: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  const at = Math.floor(random() * (bytes.length + 1));
  const length = Math.min(Math.floor(random() ** 4 * 1000), bytes.length - at);
  switch (Math.floor(random() * 7)) {
    case 0: {
      const copy = bytes.slice();
      if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      return copy;
    }
    case 1:
      return joined(bytes, at, new Uint8Array(0), at + length);
    case 2:
      return joined(bytes, at, bytes.subarray(at, at + length), at);
    case 3:
      return joined(bytes, at, TOKENS[Math.floor(random() * TOKENS.length)] ?? new Uint8Array(0), at);
    case 4: {
      const from = Math.floor(random() * other.length);
      return joined(bytes, at, other.subarray(from, from + Math.floor(random() ** 3 * 2000)), at + length);
    }
    case 5:
      return bytes.slice(0, at);
    default: {
      const filled = bytes.slice();
      return filled.fill(Math.floor(random() * 256), at, at + Math.min(length, 16));
    }
  }
}

function joined(bytes: Uint8Array, at: number, piece: Uint8Array, from: number): Uint8Array {
  const result = new Uint8Array(at + piece.length + bytes.length - from);
  result.set(bytes.subarray(0, at));
  result.set(piece, at);
  result.set(bytes.subarray(from), at + piece.length);
  return result;
}
