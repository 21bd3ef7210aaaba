import { epochNs, isPhaseName, PHASE_NAME_RULE, type EpochNs, type NamedPhase, type Phase } from "../model/index.js";
import { fieldsOf, isFields, isList, textOf, type Json } from "../text/index.js";
import { sameName } from "./run-phases.js";

/**
 * The phases of a list: `name`, `kind`, `start_ns`, `end_ns` and optionally `tag_from_ns` and `tag_to_ns` of each, the
 * times as integers or as their digits. A phase manifest and an object whose `phases` are the list are taken, too.
 * @throws Error saying which entry is wrong, and how
 */
export function parsePhaseList(document: Json): readonly NamedPhase[] {
  const list = isList(document) ? document : fieldsOf(document)["phases"];
  if (!isList(list)) throw new Error("a list of phases was expected, or an object with one as its phases");
  const phases = list.map((entry, i) => phaseOf(entry, `phase ${i + 1}`));
  if (!phases.some(({ kind }) => kind === "profiling")) throw new Error("none of its phases is of kind profiling");
  const problem = phases.map((phase, i) => phaseProblem(phase, phases.slice(0, i))).find((text) => text !== undefined);
  if (problem !== undefined) throw new Error(problem);
  return phases.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
}

/** Why a phase cannot stand beside the others; undefined when it can. */
export function phaseProblem(
  { name, kind, start, end, tags }: NamedPhase,
  others: readonly NamedPhase[],
): string | undefined {
  if (!isPhaseName(name)) return `"${name}" cannot name a phase: a name is ${PHASE_NAME_RULE}`;
  if ((sameName(name, "warmup") || sameName(name, "profiling")) && name.toLowerCase() !== kind)
    return `a phase of kind ${kind} cannot be named ${name}`;
  if (others.some((other) => sameName(other.name, name))) return `two phases are named ${name}`;
  if (end !== undefined && end < start) return `phase ${name} ends (${end}) before it starts (${start})`;
  if (tags !== undefined && tags.to <= tags.from)
    return `the scrapes of phase ${name} end (${tags.to}) before they begin (${tags.from})`;
  return undefined;
}

/** How a mark begins a phase: its label is "phase" and the name. */
const PHASE_MARK = /^phase[\s:]+(\S.*)$/i;

/** What a mark's label names a phase, if it begins one. */
export function markedPhase(label: string): string | undefined {
  return PHASE_MARK.exec(label.trim())?.[1];
}

/** A name for a phase, made of what a person or a program called it; one that is taken gets a number. */
export function phaseNameOf(text: string, taken: readonly { readonly name: string }[]): string {
  const plain = text
    .trim()
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .slice(0, 80);
  const name = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!taken.some((other) => sameName(other.name, candidate))) return candidate;
  }
}

function phaseOf(phase: unknown, where: string): NamedPhase {
  if (!isFields(phase)) throw new Error(`${where} is not an object`);
  const time = (field: string): EpochNs | undefined => {
    const value = phase[field];
    if (value === undefined || value === null) return undefined;
    const whole = typeof value === "bigint" || Number.isSafeInteger(value) || /^\d{1,20}$/.test(textOf(value));
    if (!whole) throw new Error(`${field} of ${where} is not a time in nanoseconds since the epoch`);
    return epochNs(BigInt(typeof value === "bigint" || typeof value === "number" ? value : textOf(value)));
  };
  const needed = (field: string): EpochNs => {
    const value = time(field);
    if (value === undefined) throw new Error(`${where} has no ${field}`);
    return value;
  };
  const [from, to] = [time("tag_from_ns"), time("tag_to_ns")];
  return {
    name: textOf(phase["name"] ?? phase["phase_name"]),
    kind: kindOf(phase["kind"] ?? phase["phase_kind"], where),
    start: needed("start_ns"),
    end: needed("end_ns"),
    ...(from === undefined || to === undefined ? {} : { tags: { from, to } }),
  };
}

function kindOf(value: unknown, where: string): Phase {
  if (value === "warmup" || value === "profiling") return value;
  throw new Error(`kind of ${where} is neither warmup nor profiling`);
}
