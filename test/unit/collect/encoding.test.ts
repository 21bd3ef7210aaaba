import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeBody } from "../../../src/collect/encoding.js";

const LIMIT = 10_000_000;
// Random bytes do not shrink: more than 256 KiB compressed takes the thread pool's way.
const small = Buffer.from("a_gauge 1\n".repeat(100));
const large = Buffer.from(Uint8Array.from({ length: 600_000 }, (_, i) => ((i * 2654435761) >>> 13) ^ (i * 40503)));

describe.each([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", (body: Buffer) => brotliCompressSync(body)],
] as const)("%s", (encoding, pack) => {
  it.each([
    ["small", small],
    ["large", large],
  ])("decodes a %s body", async (_size, body) => {
    const decoded = await decodeBody(pack(body), encoding, LIMIT);
    expect(decoded.kind === "body" && Buffer.compare(decoded.body, body)).toBe(0);
  });

  it("stops at the limit instead of unpacking a bomb", async () => {
    expect(await decodeBody(pack(Buffer.alloc(5_000_000)), encoding, 1_000_000)).toEqual({ kind: "too-large" });
  });

  it("tells a body cut short", async () => {
    const packed = pack(large.subarray(0, 50_000));
    expect(await decodeBody(packed.subarray(0, packed.length / 2), encoding, LIMIT)).toEqual({ kind: "truncated" });
  });
});

it("tells what it cannot decode", async () => {
  expect(await decodeBody(small, "compress", LIMIT)).toEqual({ kind: "unknown", encoding: "compress" });
  expect(await decodeBody(small, "gzip", LIMIT)).toMatchObject({ kind: "corrupt" });
});

it("leaves a plain body alone", async () => {
  expect(await decodeBody(small, " Identity ", LIMIT)).toEqual({ kind: "body", body: small });
});
