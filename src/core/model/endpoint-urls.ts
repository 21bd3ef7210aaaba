import { grouped } from "../text/plural.js";
import { scrubUrl, withoutCredentials } from "../text/secrets.js";
import { MAX_ENDPOINTS } from "./limits.js";

/**
 * How an endpoint is shown: host:port plus path, without scheme, credentials, query and the `/metrics` suffix. Of
 * several that differ only in a secret, with its number.
 */
export function displayName(url: string): string {
  const number = /#(\d+)$/.exec(url)?.[1];
  const name = url
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^[^/?#]*@/, "")
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\/metrics$/, "");
  return number === undefined ? name : `${name} #${number}`;
}

/**
 * The URLs of one file as they are shown and written again: without secrets and credentials. Those that differ only
 * there are numbered, as a capture does it.
 */
export class RecordedUrls {
  private readonly known = new Map<string, string>();
  private readonly taken = new Set<string>();
  /** Those that `bounded` was asked for. */
  private readonly read = new Set<string>();
  /** The last number given to URLs that are the same without fragments and secrets. */
  private readonly numbers = new Map<string, number>();

  /** As `of`, of an endpoint whose samples are read. @throws Error beyond the most that are read of one file */
  bounded(written: string): string {
    if (!this.read.has(written)) {
      if (this.read.size >= MAX_ENDPOINTS)
        throw new Error(`the file has more than the ${grouped(MAX_ENDPOINTS)} endpoints that are read`);
      this.read.add(written);
    }
    return this.of(written);
  }

  of(written: string): string {
    let url = this.known.get(written);
    if (url !== undefined) return url;
    url = scrubUrl(withoutCredentials(written));
    if (this.taken.has(url)) {
      const bare = url.replace(/#.*$/s, "");
      let number = this.numbers.get(bare) ?? 1;
      do url = `${bare}#${++number}`;
      while (this.taken.has(url));
      this.numbers.set(bare, number);
    }
    this.known.set(written, url);
    this.taken.add(url);
    return url;
  }
}
