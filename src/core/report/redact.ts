import { plural } from "../text/plural.js";

/** What can be taken out of a report before it travels. */
export const REDACTIONS = ["hosts", "paths", "labels"] as const;
export type Redaction = (typeof REDACTIONS)[number];

/** What a report tells about where it was made, in the order in which it is met. */
export interface Revealed {
  /** Names and addresses of machines. */
  readonly hosts: readonly string[];
  /** Paths from the root of a file system. */
  readonly paths: readonly string[];
  /** What people named: runs, endpoints, and values of labels such as models, as "model_name=…". */
  readonly labels: readonly string[];
}

/** Labels whose values are the server's own words, or numbers: they say nothing about who runs it. */
const PLAIN_LABELS = new Set(
  "le quantile reason finished_reason finish_reason phase role mode type status code state stage method position operation kind direction level is_streaming stream priority dtype".split(
    " ",
  ),
);
/** Labels that name machines. */
const HOST_LABELS = new Set(
  "instance host hostname node nodename node_name server ip address pod pod_name container".split(" "),
);
/** What tells nothing. */
const NO_HOSTS = new Set(["", "localhost", "127.0.0.1", "0.0.0.0", "[::1]", "::1"]);
const ADDRESS = /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])/g;
const URL_HOST = /\b[a-z][a-z0-9+.-]*:\/\/(?:[^\s/@"'<>]*@)?(\[[^\]\s]+\]|[^\s:/?#"'<>,;)\]]+)/gi;
const PATH = /(?<![\w.:/\\~-])(?:~|[A-Za-z]:)?(?:[\\/][^\s\\/"'<>|,;:()[\]{}=`]+){2,}[\\/]?/g;
/** What servers answer at. */
const ROUTE = /^\/(?:v\d+|api|metrics|generate|health|prometheus)\b/;
/** Shorter ones are parts of words. */
const LEAST_LENGTH = 3;

type Found = Map<string, string>;

/** Gathers what a value reveals, with the name that each gets in its place. */
class Names {
  readonly hosts: Found = new Map();
  readonly paths: Found = new Map();
  readonly labels: Found = new Map();
  private readonly families = new Set<string>();
  /** How many names of a kind were given: of a label, or "/" of paths. */
  private readonly counts = new Map<string, number>();
  /** As people read them: with the label's name. */
  readonly shown = new Map<string, string>();

  /** Names of families begin with it: to hide it would rename them. */
  isFamily(text: string): boolean {
    return this.families.has(text);
  }

  gather(value: unknown): void {
    if (typeof value === "string") this.text(value);
    else if (Array.isArray(value)) for (const item of value) this.gather(item);
    else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) this.members(value);
  }

  private members(value: object): void {
    const fields: Readonly<Record<string, unknown>> = { ...value };
    for (const [key, member] of Object.entries(fields)) {
      if (key === "labels" && isPairs(member)) for (const [name, own] of member) this.label(name, own);
      if (typeof member === "string") this.member(key, member, fields);
      else this.gather(member);
    }
    const { label, value: own, name, key, text } = fields;
    if (typeof label === "string" && typeof own === "string") this.label(label, own);
    if (Array.isArray(fields["files"]) && typeof fields["id"] === "string") this.path(fields["id"]);
    if (name === "model" && typeof own === "string") this.label(name, own);
    if (typeof key === "string" && typeof text === "string" && HOST_LABELS.has(key)) this.host(text);
  }

  private member(key: string, text: string, fields: Readonly<Record<string, unknown>>): void {
    if (key === "family") this.families.add(text.split(/[:_]/)[0] ?? "");
    if (key === "path" && /[\\/]/.test(text)) this.path(text);
    else if (key === "label" && !("value" in fields || "mode" in fields)) this.named("name", text);
    this.text(text);
  }

  private text(text: string): void {
    for (const [, host = ""] of text.matchAll(URL_HOST)) this.host(host);
    for (const [address] of text.matchAll(ADDRESS)) this.host(address);
    for (const [path] of text.matchAll(PATH)) this.path(path.replace(/[.!?]+$/, ""));
  }

  private label(name: string, value: string): void {
    if (HOST_LABELS.has(name)) {
      this.host(value.replace(/^[a-z]+:\/\//, "").replace(/[:/].*$/, ""));
      return;
    }
    if (PLAIN_LABELS.has(name) || !Number.isNaN(Number(value)) || /^(true|false|none)$/i.test(value)) return;
    this.named(name, value);
  }

  private named(name: string, value: string): void {
    if (value.length < LEAST_LENGTH || this.labels.has(value)) return;
    this.labels.set(value, `${name}-${this.next(name)}`);
    this.shown.set(value, `${name}=${value}`);
  }

  private next(kind: string): number {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    return count;
  }

  private host(host: string): void {
    if (NO_HOSTS.has(host) || host.length < LEAST_LENGTH || this.hosts.has(host)) return;
    if (!Number.isNaN(Number(host))) return;
    this.hosts.set(host, `host-${this.hosts.size + 1}`);
  }

  private path(path: string): void {
    if (path.length < LEAST_LENGTH || this.paths.has(path) || ROUTE.test(path)) return;
    const extension = /\.[A-Za-z0-9]{1,10}$/.exec(path)?.[0] ?? "";
    const name = `path-${this.next("/")}${extension}`;
    this.paths.set(path, name);
    // A file is also named alone.
    const base = path.split(/[\\/]/).at(-1) ?? "";
    if (extension !== "" && base.length > extension.length && !this.paths.has(base)) this.paths.set(base, name);
  }
}

function isPairs(value: unknown): value is readonly (readonly [string, string])[] {
  return (
    Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((one) => typeof one === "string"))
  );
}

/** What a report tells about where it was made. @param shown the part of it that travels; absent: all */
export function revealedBy(value: unknown, shown?: unknown): Revealed {
  const names = new Names();
  names.gather(value);
  const texts: string[] = [];
  mapTexts(shown, (text) => (texts.push(text), text));
  const all = texts.join("\n");
  const found = (of: Found) => [...of.keys()].filter((text) => shown === undefined || all.includes(text));
  return {
    hosts: found(names.hosts),
    paths: found(names.paths).filter((path) => shown !== undefined || /[\\/]/.test(path)),
    labels: found(names.labels).map((value) => names.shown.get(value) ?? value),
  };
}

/**
 * The same with other names in place of what is to be hidden; equal ones stay equal. Numbers stay as they are.
 * @param from what tells the names; absent: the value itself
 */
export function redacted<T>(value: T, what: readonly Redaction[], from: unknown = value): T {
  if (what.length === 0) return value;
  const names = new Names();
  names.gather(from);
  const hidden = new Map(what.flatMap((one) => [...names[one]].filter(([text]) => !names.isFamily(text))));
  if (hidden.size === 0) return value;
  const longestFirst = [...hidden.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${longestFirst.join("|")})(?![A-Za-z0-9])`, "g");
  const known = new Map<string, string>();
  const replaced = (text: string): string => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const after = hidden.get(text) ?? text.replace(pattern, (one) => hidden.get(one) ?? one);
    known.set(text, after);
    return after;
  };
  return mapTexts(value, replaced);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function mapTexts<T>(value: T, change: (text: string) => string): T;
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change));
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member as unknown, change)]));
}

/** What a report reveals, for a person who is about to send it. */
export function revealedText({ hosts, paths, labels }: Revealed, hidden: readonly Redaction[]): readonly string[] {
  const kinds = { hosts, paths, labels };
  return REDACTIONS.map((kind) => {
    const all = kinds[kind];
    if (hidden.includes(kind)) return `${kind}: hidden (${all.length})`;
    if (all.length === 0) return `${kind}: none`;
    const more = all.length > MOST_NAMED ? ` and ${plural(all.length - MOST_NAMED, "other")}` : "";
    return `${kind}: ${all.slice(0, MOST_NAMED).join(", ")}${more}`;
  });
}

const MOST_NAMED = 12;
