import { fieldsOf, isFields, isList, type Fields, type JsonObject } from "../text/json.js";

/** What may be recorded of where a run came from, by the names that the setting and the option take. */
export const PROVENANCE_PARTS = ["git", "command", "machine", "servers", "neighbours"] as const;
export type ProvenancePart = (typeof PROVENANCE_PARTS)[number];

/** What a capture records of where it came from. */
export interface ProvenanceOptions {
  readonly parts: readonly ProvenancePart[];
  /** Whose Git repository is meant; absent: none. */
  readonly folder?: string;
  /** The command that the capture runs. */
  readonly command?: readonly string[];
}

/** The key of `input_config` under which a run keeps where it came from, so that every format with one has it. */
export const PROVENANCE = "provenance";

/** Of one server: what it says of itself, and the arguments of its process. Each may be missing. */
export interface ServerProvenance {
  /** The command line, without secrets. */
  readonly command?: string;
  /** Leaves of what it reports, by their path: `cache_config.block_size`. */
  readonly settings: ReadonlyMap<string, string>;
}

/** What a run's file says of where it came from, which may be anything; undefined where it says nothing. */
export function provenanceOf(inputConfig: JsonObject): Fields | undefined {
  const found: unknown = inputConfig[PROVENANCE];
  return isFields(found) ? found : undefined;
}

/** Of the workspace that a run was captured in; undefined where none was recorded. */
export function commitOf(inputConfig: JsonObject): string | undefined {
  const { commit } = fieldsOf(provenanceOf(inputConfig)?.["git"]);
  return typeof commit === "string" ? commit : undefined;
}

/** What is recorded of the server of an endpoint. */
export function serverProvenance(inputConfig: JsonObject, endpointUrl: string): ServerProvenance | undefined {
  const { servers } = provenanceOf(inputConfig) ?? {};
  const found = fieldsOf(servers)[endpointUrl];
  if (found === undefined) return undefined;
  const { command, settings } = fieldsOf(found);
  return {
    ...(typeof command === "string" ? { command } : {}),
    settings: new Map(Object.entries(fieldsOf(settings)).map(([path, value]) => [path, String(value)])),
  };
}

/** Leaves of a configuration by their path: `endpoint.urls[0]`. */
export function configurationLeaves(config: Fields): Map<string, string> {
  const leaves = new Map<string, string>();
  const visit = (value: unknown, path: string): void => {
    if (isList(value)) value.forEach((item, i) => visit(item, `${path}[${i}]`));
    else if (isFields(value))
      for (const [key, item] of Object.entries(value)) visit(item, path === "" ? key : `${path}.${key}`);
    else if (value !== undefined) leaves.set(path, typeof value === "string" ? value : JSON.stringify(value));
  };
  visit(config, "");
  return leaves;
}

/**
 * What a run's provenance says, by its path, but for the load of the machine, which is never twice the same. Servers go
 * by their place: ports differ from run to run.
 */
export function provenanceLeaves({ neighbours: _, servers, ...others }: Fields): Map<string, string> {
  return configurationLeaves({ ...others, servers: Object.values(fieldsOf(servers)) });
}
