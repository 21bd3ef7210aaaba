/* What little of node:crypto, node:os, node:url and node:util is used where there is no Node. */
import { sha256 } from "@noble/hashes/sha2.js";

export const randomUUID = (): string => crypto.randomUUID();
export const randomBytes = (length: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(length)));

/** SHA-256 is the only one in use. */
export function createHash() {
  const hash = sha256.create();
  const own = {
    update(content: string | Uint8Array) {
      hash.update(Buffer.from(content));
      return own;
    },
    digest: (encoding: "hex") => Buffer.from(hash.digest()).toString(encoding),
  };
  return own;
}

export const hostname = () => "browser";
export const homedir = () => "/";
export const tmpdir = () => "/";

export const pathToFileURL = (path: string): URL => new URL(`file://${encodeURI(path)}`);

type Callback<T> = (error: unknown, value?: T) => void;

export function promisify<T>(work: (...given: unknown[]) => void) {
  return (...given: readonly unknown[]): Promise<T> =>
    new Promise((resolve, reject) => {
      const done: Callback<T> = (error, value) => (error === null ? resolve(value as T) : reject(error));
      work(...given, done);
    });
}
