/* node:stream where there is no Node: bytes that are read into an unpacker. */

interface Target {
  readFrom(source: AsyncIterable<Uint8Array>): unknown;
}

export const Readable = {
  from: (source: AsyncIterable<Uint8Array>) => ({
    pipe: (target: Target) => target.readFrom(source),
    /** What reading fails with comes through who reads. */
    on: () => undefined,
    destroy: () => undefined,
  }),
};
