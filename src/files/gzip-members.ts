import { constants, gunzipSync } from "node:zlib";

/** Of one member, no more than this is kept in memory. */
const LARGEST_MEMBER = 64 * 1024 * 1024;

/**
 * What can be read of damaged gzip, a member at a time: all members before the damage. zlib's stream drops what it has
 * unpacked together with the bytes that it stumbles over, and with small members that is all of them.
 */
export async function* readableMembers(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array = new Uint8Array(0);
  for await (const chunk of packed) {
    pending = Buffer.concat([pending, chunk]);
    let start = 0;
    for (let next = nextMember(pending, 1); next >= 0; next = nextMember(pending, next + 1)) {
      const whole = unpacked(pending.subarray(start, next), constants.Z_FINISH);
      // Three bytes within a member may look like the beginning of another.
      if (whole === undefined) continue;
      yield whole;
      start = next;
    }
    pending = pending.slice(start);
    if (pending.length > LARGEST_MEMBER) return;
  }
  yield wholePrefix(pending);
}

function nextMember(bytes: Uint8Array, from: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(MEMBER_START, from);
}

const MEMBER_START = Uint8Array.of(0x1f, 0x8b, 0x08);

/** Undefined when the bytes are damaged, or not all there though they should be. */
function unpacked(bytes: Uint8Array, finishFlush: number): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { finishFlush });
  } catch {
    return undefined;
  }
}

/**
 * The member that ends where the damage begins. What comes of a damaged one is not given: its checksum does not vouch
 * for it.
 */
function wholePrefix(bytes: Uint8Array): Uint8Array {
  let sound = 0;
  for (let low = 1, high = bytes.length; low <= high;) {
    const middle = (low + high) >> 1;
    if (unpacked(bytes.subarray(0, middle), constants.Z_SYNC_FLUSH) === undefined) high = middle - 1;
    else {
      sound = middle;
      low = middle + 1;
    }
  }
  // The first bytes after a member may pass for the beginning of another.
  for (let end = sound; end > 0 && end > sound - MEMBER_START.length; end--) {
    const whole = unpacked(bytes.subarray(0, end), constants.Z_FINISH);
    if (whole !== undefined) return whole;
  }
  return new Uint8Array(0);
}
