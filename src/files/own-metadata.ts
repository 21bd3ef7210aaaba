import { createHash } from "node:crypto";
import type { RunMetadata } from "../core/model/index.js";
import type { Store } from "../core/store/index.js";

/**
 * The metadata of a run whose file has none. Its id is made of the first scrape, so that it is the same at each opening
 * and in all that is exported of the run: files of one run are no repeats.
 */
export function ownMetadata({ endpoints, origin }: Store): RunMetadata {
  const urls = endpoints.map(({ url }) => url);
  const hash = createHash("sha256")
    .update(`${origin} ${urls[0] ?? ""}`)
    .digest("hex");
  return {
    benchmarkId: hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
    endpointsConfigured: urls,
    sliceDurationSeconds: 5,
    inputConfig: {},
  };
}
