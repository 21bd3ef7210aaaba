import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeBody } from "../../../src/collect/http/encoding.js";

const LIMIT = 10_000_000;
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

describe("zstd", () => {
  /** A frame (RFC 8878) whose window has this descriptor, of RLE blocks of so many bytes each. */
  const frame = (window: number, ...blocks: readonly number[]) =>
    Buffer.concat([
      Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, window),
      ...blocks.map((size, i) => {
        const header = (size << 3) | 2 | (i === blocks.length - 1 ? 1 : 0);
        return Buffer.of(header & 255, (header >> 8) & 255, header >> 16, 0x23);
      }),
    ]);
  const MIB_8 = 13 << 3;

  it("unpacks frames one after the other, and passes over what is to be skipped", async () => {
    const skipped = Buffer.of(0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);
    const body = Buffer.concat([frame(MIB_8, 5, 1000), skipped, frame(0, 7)]);
    expect(await decodeBody(body, "zstd", LIMIT)).toEqual({ kind: "body", body: Buffer.alloc(1012, "#") });
  });

  it("stops at the limit instead of unpacking a bomb", async () => {
    const bomb = frame(MIB_8, ...Array.from({ length: 1000 }, () => 128 * 1024));
    expect(await decodeBody(bomb, "zstd", 1_000_000)).toEqual({ kind: "too-large" });
  });

  it.each([
    ["1.9 GiB", frame((20 << 3) | 7, 5)],
    ["more than 8 MiB after a frame that is fine", Buffer.concat([frame(MIB_8, 5), frame(MIB_8 + 1, 5)])],
    // A single segment is its own window: here of 2 GiB by the four bytes of its size.
    ["2 GiB of a single segment", Buffer.from("28b52ffda0ffffff7f0b000023", "hex")],
  ])("makes no room for a window of %s", async (_, body) => {
    const refused = await decodeBody(Buffer.concat([body, Buffer.alloc(20)]), "zstd", LIMIT);
    expect(refused).toMatchObject({
      kind: "corrupt",
      reason: expect.stringMatching(/window of [\d,]+ MiB; at most 8/) as string,
    });
  });

  it("gives up on blocks of nothing, for each of which the decoder would move its window", async () => {
    const empty = frame(MIB_8, ...Array.from({ length: 100_000 }, () => 0));
    expect(await decodeBody(empty, "zstd", LIMIT)).toMatchObject({
      kind: "corrupt",
      reason: expect.stringContaining("too small") as string,
    });
  });
});

it("decodeBody says which encoding it cannot decode", async () => {
  expect(await decodeBody(small, "compress", LIMIT)).toEqual({ kind: "unknown", encoding: "compress" });
  expect(await decodeBody(small, "gzip", LIMIT)).toMatchObject({ kind: "corrupt" });
});

it("decodeBody leaves a plain body alone", async () => {
  expect(await decodeBody(small, " Identity ", LIMIT)).toEqual({ kind: "body", body: small });
});
