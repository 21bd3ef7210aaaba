import type { FileMetaData, RowGroup } from "hyparquet/src/types.js";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { MAGIC } from "./tail.js";

/** What ends the metadata as `writeMetadata` gives them: their length. */
const LENGTH_BYTES = 4;
/** Of Thrift's compact protocol: a list of structs, and the size from which on it follows by itself. */
const STRUCT = 12;
const LONG = 15;

/**
 * A file's footer and tail, a piece for each row group, so that whoever writes them can pause in between: the footer of
 * 620 row groups of 13 columns at once holds the thread for 0.2 s. Each piece is what the library's footer of that one
 * group has more than its footer of none.
 */
export function* footerPieces(
  file: Omit<FileMetaData, "row_groups">,
  groups: readonly RowGroup[],
): Generator<Uint8Array> {
  const none = written({ ...file, row_groups: [] });
  const bare = written({ ...file, row_groups: [], key_value_metadata: [] });
  let length = none.length - LENGTH_BYTES;
  let list: number | undefined;
  for (const group of groups) {
    const one = written({ ...file, row_groups: [group], key_value_metadata: [] });
    if (list === undefined) {
      // All is the same up to the header of the list.
      list = bare.findIndex((byte, i) => byte !== one[i]);
      const header = listHeader(groups.length);
      yield none.subarray(0, list);
      yield header;
      length += header.length - 1;
    }
    const bytes = one.subarray(list + 1, one.length - (bare.length - list - 1));
    length += bytes.length;
    yield bytes;
  }
  yield none.subarray(list === undefined ? 0 : list + 1, none.length - LENGTH_BYTES);
  const tail = new ByteWriter(LENGTH_BYTES + MAGIC.length);
  tail.appendUint32(length);
  tail.appendBytes(MAGIC);
  yield tail.getBytes();
}

function written(file: FileMetaData): Uint8Array {
  const out = new ByteWriter();
  // Bounds are not cut: a reader knows by them what a column of one text holds.
  writeMetadata(out, file, Infinity);
  return out.getBytes();
}

function listHeader(size: number): Uint8Array {
  const out = new ByteWriter(8);
  out.appendUint8((Math.min(size, LONG) << 4) | STRUCT);
  if (size >= LONG) out.appendVarInt(size);
  return out.getBytes();
}
