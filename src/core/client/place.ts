import { epochNs, NS_PER_SECOND, type TimeRange, noteOf } from "../model/index.js";
import { spanOf } from "./metrics.js";
import type { ClientRequest, ClientResult } from "./types.js";

const QUARTER = 15 * 60;
/** Zones lie between UTC-12 and UTC+14. */
const EAST = 14 * 3600;
const WEST = -12 * 3600;

export interface Placing {
  /** The run beside which the client's files lie. */
  readonly frame?: TimeRange | undefined;
  /** Of this machine at that time, seconds east of UTC. */
  readonly zoneSeconds: number;
  /** Added to all times of the client. */
  readonly offsetSeconds?: number | undefined;
}

/**
 * Puts a client's requests on the wall clock. Of times in an unknown zone that zone is taken in which the requests lie
 * best in the run beside them, else this machine's.
 */
export function placed(result: ClientResult, { frame, zoneSeconds, offsetSeconds = 0 }: Placing): ClientResult {
  const span = spanOf(result.requests);
  if (span === undefined) return result;
  const zone = result.localEnd === undefined ? 0 : zoneOf(span, frame, zoneSeconds);
  const by = BigInt(Math.round((offsetSeconds - zone) * NS_PER_SECOND));
  const requests =
    by === 0n
      ? result.requests
      : result.requests.map((request) => ({
          ...request,
          start: epochNs(request.start + by),
          end: epochNs(request.end + by),
        }));
  const { localEnd, ...rest } = result;
  return {
    ...rest,
    requests,
    notices:
      localEnd === undefined
        ? result.notices
        : [
            ...result.notices,
            noteOf(
              `${result.tool} records the end of its run in local time and to the second: its requests may be off by seconds.`,
              "A client offset in seconds moves them (--client-offset on the command line).",
            ),
          ],
  };
}

/** Seconds that both have in common. */
export function overlapSeconds(a: TimeRange, b: TimeRange): number {
  const start = a.start > b.start ? a.start : b.start;
  const end = a.end < b.end ? a.end : b.end;
  return Number(end - start) / NS_PER_SECOND;
}

function zoneOf(span: TimeRange, frame: TimeRange | undefined, own: number): number {
  if (frame === undefined) return own;
  const inZone = (zone: number) => {
    const by = BigInt(zone * NS_PER_SECOND);
    return overlapSeconds({ start: epochNs(span.start - by), end: epochNs(span.end - by) }, frame);
  };
  let best = own;
  let most = Math.max(0, inZone(own));
  for (let zone = WEST; zone <= EAST; zone += QUARTER) {
    const common = inZone(zone);
    if (common <= most) continue;
    best = zone;
    most = common;
  }
  return best;
}

/** Half of what times of one run can span. */
const FARTHEST_NS = BigInt(Number.MAX_SAFE_INTEGER) / 2n;

/** Those whose request lies where most do, and those that are too far away to be of one run. */
export function withoutFarTimes<T>(
  all: readonly T[],
  requestOf: (one: T) => Pick<ClientRequest, "start" | "end">,
): { readonly together: readonly T[]; readonly far: readonly T[] } {
  const starts = BigInt64Array.from(all, (one) => BigInt.asIntN(64, requestOf(one).start)).sort();
  const middle = starts[Math.floor(starts.length / 2)] ?? 0n;
  const isFar = (time: bigint) => time - middle > FARTHEST_NS || middle - time > FARTHEST_NS;
  const far = new Set(all.filter((one) => isFar(requestOf(one).start) || isFar(requestOf(one).end)));
  return { together: all.filter((one) => !far.has(one)), far: [...far] };
}
