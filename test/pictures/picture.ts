import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { crc32, deflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { root } from "../workbench/project.mjs";

const COLOURS = 256;

/** Keeps a part of the window, or all of it, as a picture of the documentation. */
export async function savePicture(
  page: Page,
  name: string,
  clip?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): Promise<void> {
  const folder = path.join(root, "docs/screenshots");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${name}.png`), await indexed(page, await page.screenshot(clip ? { clip } : {})));
}

/** A PNG with a palette, a third as large: the package has all pictures. No eye sees the colours that are joined. */
async function indexed(page: Page, png: Buffer): Promise<Buffer> {
  const { width, height, palette, pixels } = await page.evaluate(reduced, {
    bytes: png.toString("base64"),
    most: COLOURS,
  });
  const rows = Buffer.from(pixels, "base64");
  const lines = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.of(0), rows.subarray(y * width, (y + 1) * width)]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits for each pixel, which are the number of a colour.
  header.set([8, 3], 8);
  return Buffer.concat([
    png.subarray(0, 8),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap((colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255]))),
    chunk("IDAT", deflateSync(Buffer.concat(lines), { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(checked));
  return Buffer.concat([length, checked, sum]);
}

/** In the page, which can read a PNG: its commonest colours, none nearer to another than has to be, and its pixels. */
async function reduced({ bytes, most }: { readonly bytes: string; readonly most: number }) {
  const blob = new Blob([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))]);
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d")!;
  context.drawImage(bitmap, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const colours = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const distance = (a: number, b: number) =>
    Math.hypot((a & 255) - (b & 255), ((a >> 8) & 255) - ((b >> 8) & 255), ((a >> 16) & 255) - ((b >> 16) & 255));
  let palette = colours;
  for (let apart = 1; palette.length > most; apart++) {
    palette = [];
    for (const colour of colours)
      if (palette.length <= most && palette.every((other) => distance(other, colour) > apart)) palette.push(colour);
  }
  const nearest = new Map(
    colours.map((colour) => {
      const far = palette.map((other) => distance(other, colour));
      return [colour, far.indexOf(Math.min(...far))];
    }),
  );
  const numbers = Array.from(pixels, (pixel) => String.fromCharCode(nearest.get(pixel) ?? 0));
  return { width, height, palette, pixels: btoa(numbers.join("")) };
}
