import type { LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";

/**
 * Where all connections of this thread receive what arrives. Sockets would allocate 64 KiB for each piece, and memory
 * outside its heap makes V8 look through all of the heap: with 200 endpoints three times a second every 0.8 s, which
 * took 40 % of the capture's processor time.
 */
const SHARED = new Uint8Array(64 * 1024);
/** Whose piece lies in it. */
let owner: Socket | undefined;

const HEAD_END = "\r\n\r\n";
/** Where the status begins in "HTTP/1.1 200 OK". */
const STATUS_AT = 9;
const DIGIT_2 = 0x32;

/**
 * Connects over plain TCP, and reads into the memory that all connections share. The client parses a piece before the
 * next one of any connection is read, and an `Exchange` copies what it keeps. Only of heads does the client keep the
 * pieces themselves, until they are complete: a piece that a head may not end in is copied.
 * @param received what there is of the answer under way
 * @param lookup of the server's name
 */
export function sharedReads(received: () => Received, lookup: LookupFunction): buildConnector.connector {
  return (options, callback) => {
    let socket: Socket | undefined;
    const connect = buildConnector({
      timeout: 0,
      lookup,
      // That of `options` counts.
      port: 0,
      onread: {
        buffer: SHARED,
        callback: (length) => {
          // An error rather than an answer with bytes of another.
          if (owner !== undefined && owner.readableLength > 0)
            owner.destroy(new Error("what was received before has not been read"));
          owner = socket;
          const piece = Buffer.from(SHARED.buffer, 0, length);
          const known = received();
          socket?.push(known === "head" || (known === "nothing" && endsHead(piece)) ? piece : Buffer.from(piece));
          return true;
        },
      },
    });
    connect(options, (...result) => {
      socket = result[1] ?? undefined;
      callback(...result);
    });
  };
}

/** Of the answer under way: its own head, or some of it, such as an interim answer. */
export type Received = "nothing" | "some" | "head";

/** Whether a piece, the first of its answer, begins with a whole head of a success, which no other head can follow. */
function endsHead(piece: Buffer): boolean {
  return piece[STATUS_AT] === DIGIT_2 && piece.includes(HEAD_END);
}
