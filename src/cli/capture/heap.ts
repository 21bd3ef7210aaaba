import { getHeapStatistics, setFlagsFromString } from "node:v8";

/**
 * The share of what is in use by which the heap grows before V8 collects all of its garbage. By itself V8 may let it
 * grow to several times as much: a capture of 200 endpoints × 300 series took 390 MB after half a minute, with this
 * 296 MB, for 4 % more processor time. It holds for the whole process, so only the command line may set it.
 */
const GROWTH_PERCENT = 25;
/** Within a smaller limit, as in a container, V8 is sparing by itself: collecting more often would hold the rest up. */
const MIN_LIMIT = 1024 ** 3;

/** While little memory matters more than time: as long as a capture lasts. */
export function keepHeapSmall(): void {
  if (getHeapStatistics().heap_size_limit >= MIN_LIMIT) grow(GROWTH_PERCENT);
}

/** V8 decides again, as it does for work that should be done soon. */
export function letHeapGrow(): void {
  grow(0);
}

/** @param percent 0: V8 decides */
function grow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
