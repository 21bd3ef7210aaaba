import { createHash } from "node:crypto";
import { mutate } from "./mutate.js";
import type { Target } from "./targets.js";
import { seededRandom } from "../support/random.js";

/** A reader may hold its thread so long, of processor time: other work on the machine does not count. */
export const HANG_MS = 1000;
export const MEMORY_BYTES = 1024 ** 3;
/** Inputs that the next ones are made from, besides the seeds. */
const POOL = 200;
export const LONGEST_INPUT = 256 * 1024;
/** Longer ones are not kept: they make the executions slow, and find no more. */
const LONGEST_KEPT = 16 * 1024;

export interface Finding {
  readonly target: string;
  readonly input: Uint8Array;
  readonly why: string;
}

export interface FuzzResult {
  readonly executions: number;
  readonly seconds: number;
  readonly findings: readonly Finding[];
}

/**
 * Runs a target on mutations of the seeds, in this process, until the time is over or it has 20 findings. What was
 * accepted joins the seeds now and then, so that changes add up.
 * @param onInput before each execution
 */
export async function fuzz(
  target: Target,
  seeds: readonly Uint8Array[],
  { ms, seed }: { readonly ms: number; readonly seed: number },
  onInput?: (input: Uint8Array) => void,
): Promise<FuzzResult> {
  const random = seededRandom(seed);
  const pool = [...seeds];
  const findings = new Map<string, Finding>();
  const begun = performance.now();
  let executions = 0;
  const pick = () => pool[Math.floor(random() * pool.length)] ?? new Uint8Array(0);
  while (performance.now() - begun < ms && findings.size < 20) {
    const input = mutate(pick(), pick(), random).subarray(0, LONGEST_INPUT);
    onInput?.(input);
    const why = await whatIsWrong(target, input);
    executions++;
    if (why !== undefined) findings.set(why.replace(/\d+/g, "n"), { target: target.name, input, why });
    else if (input.length <= LONGEST_KEPT && random() < 0.02) {
      if (pool.length < seeds.length + POOL) pool.push(input);
      else pool[seeds.length + Math.floor(random() * POOL)] = input;
    }
  }
  return { executions, seconds: (performance.now() - begun) / 1000, findings: [...findings.values()] };
}

/** @returns why an input is a finding */
export async function whatIsWrong(target: Target, input: Uint8Array): Promise<string | undefined> {
  const before = process.cpuUsage();
  try {
    await target.run(input);
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message).split("\n", 4).join(" ") : String(error);
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  // Threads of V8 are counted too; what hangs, hangs again.
  if (ms > HANG_MS && (await cpuOf(() => target.run(input))) > HANG_MS) return `it takes ${Math.round(ms)} ms`;
  const { rss } = process.memoryUsage();
  return rss > MEMORY_BYTES ? `the process holds ${Math.round(rss / 1024 ** 2)} MiB` : undefined;
}

async function cpuOf(work: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A name for the file of a finding. */
export function findingName({ target, input }: Finding): string {
  return `${target}-${createHash("sha256").update(input).digest("hex").slice(0, 12)}.bin`;
}
