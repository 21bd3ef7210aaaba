import { parquetHeader } from "hyparquet/src/column.js";

/** What the pages of a column chunk unpack to, by their headers: reading holds each page to it. */
export interface PageSizes {
  readonly total: number;
  readonly largest: number;
}

/** Walks over page headers alone. Ends at what is no header: decoding says what is wrong with it. */
export function pageSizes(pages: Uint8Array): PageSizes {
  const reader = { view: new DataView(pages.buffer, pages.byteOffset, pages.byteLength), offset: 0 };
  let total = 0;
  let largest = 0;
  try {
    while (reader.offset < pages.length) {
      const { compressed_page_size: packed, uncompressed_page_size: unpacked } = parquetHeader(reader);
      if (!(packed >= 0 && unpacked >= 0)) break;
      reader.offset += packed;
      total += unpacked;
      largest = Math.max(largest, unpacked);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  return { total, largest };
}
