import { t } from "@vscode/l10n";
import { normalizeUrl, redactUrl, validateUrl } from "../../collect/url.js";
import { displayName } from "../../core/model/index.js";
import type { Memento } from "vscode";
import { MEMORY_KEYS } from "../command-ids.js";

/** An endpoint picked for a capture, before anything was asked of it. */
export interface ChosenEndpoint {
  readonly url: string;
  /** Where it came from: only typed and discovered ones are worth saving. */
  readonly origin: "settings" | "stores" | "remoteWrite" | "file" | "typed" | "discovered" | "demo";
  readonly label?: string;
}

export type PickAction =
  | { readonly kind: "add"; readonly url: string }
  | { readonly kind: "continue" }
  /** Starts with the endpoints of an earlier capture. */
  | { readonly kind: "again"; readonly endpoints: readonly ChosenEndpoint[] }
  | { readonly kind: "discover" }
  | { readonly kind: "demo" }
  | { readonly kind: "remove"; readonly url: string }
  /** Tells what is wrong with the text; picking it does nothing. */
  | { readonly kind: "invalid" };

interface PickItem {
  readonly label: string;
  /** A codicon in front of the label. */
  readonly icon: string;
  readonly description?: string;
  readonly detail?: string;
  /** Shown whatever is typed. */
  readonly alwaysShow: boolean;
  readonly action: PickAction;
}

/** What an endpoint is called, from its URL as a person writes it. */
export function endpointName(url: string): string {
  return validateUrl(url) === undefined ? displayName(normalizeUrl(url)) : redactUrl(url);
}

/** Somebody who types this means an address, not a word of the list. */
function looksLikeUrl(text: string): boolean {
  return /[:./\d]|^localhost/i.test(text.trim());
}

/** What else the endpoint picker knows. */
interface KnownEndpoints {
  /** Sets captured before, the latest first. */
  readonly recent: readonly (readonly ChosenEndpoint[])[];
  /** What a test has found, by URL: "vLLM · 62 families · 3 ms", "HTTP 401". */
  readonly states: ReadonlyMap<string, string>;
}

/**
 * What the endpoint picker offers, in order: the text typed so far as an endpoint (or what is wrong with it), going on
 * with those chosen, else with those of an earlier capture, the other ways to find one, and those chosen, each of which
 * can be taken back.
 */
export function endpointItems(
  typed: string,
  chosen: readonly ChosenEndpoint[],
  discoveryPorts: readonly number[],
  { recent, states }: KnownEndpoints = { recent: [], states: new Map() },
): readonly PickItem[] {
  const items: PickItem[] = [];
  const text = typed.trim();
  const word = typedItem(text);
  if (word !== undefined && looksLikeUrl(text)) items.push(word);
  if (chosen.length > 0)
    items.push({
      icon: "play",
      label: t`Continue with ${chosen.length === 1 ? t("this endpoint") : t`these ${chosen.length} endpoints`}`,
      description: chosen.map((endpoint) => endpointName(endpoint.url)).join(", "),
      alwaysShow: text === "",
      action: { kind: "continue" },
    });
  for (const set of chosen.length > 0 ? [] : recent) {
    const found = set.flatMap(({ url }) => {
      const state = states.get(url);
      return state === undefined ? [] : [set.length === 1 ? state : `${endpointName(url)}: ${state}`];
    });
    items.push({
      icon: "history",
      label: t`Start again: ${set.map(({ url }) => endpointName(url)).join(", ")}`,
      detail: found.length === 0 ? t("Captured before; testing…") : found.join("; "),
      alwaysShow: false,
      action: { kind: "again", endpoints: set },
    });
  }
  items.push(
    {
      icon: "search",
      label: t("Discover endpoints"),
      detail: t`Looks for metrics on ${discoveryPorts.length} local ports: ${shortList(discoveryPorts)}`,
      alwaysShow: false,
      action: { kind: "discover" },
    },
    {
      icon: "beaker",
      label: t("Use the demo server"),
      detail: t("A simulated inference server inside this window"),
      alwaysShow: false,
      action: { kind: "demo" },
    },
  );
  for (const endpoint of chosen)
    items.push({
      icon: "check",
      label: endpointName(endpoint.url),
      description: t("chosen; pick to remove"),
      detail: states.get(endpoint.url) ?? "testing…",
      alwaysShow: false,
      action: { kind: "remove", url: endpoint.url },
    });
  if (word !== undefined && !looksLikeUrl(text)) items.push(word);
  return items;
}

/**
 * What Enter means. The list follows the typing with a delay (it is made on the other side of a connection), so the
 * text in the box decides wherever the item shown is one made from it, and somebody who typed a URL does not mean
 * "continue".
 * @returns undefined when nothing is to be done
 */
export function resolvePick(selected: PickAction | undefined, text: string): PickAction | undefined {
  const typed = typedItem(text.trim())?.action;
  if (
    selected === undefined ||
    selected.kind === "add" ||
    selected.kind === "invalid" ||
    (selected.kind === "continue" && looksLikeUrl(text))
  )
    return typed?.kind === "invalid" ? undefined : typed;
  return selected;
}

function shortList(ports: readonly number[]): string {
  return ports.length <= 4 ? ports.join(", ") : `${ports.slice(0, 4).join(", ")}…`;
}

function typedItem(text: string): PickItem | undefined {
  if (text === "") return undefined;
  const wrong = validateUrl(text);
  if (wrong !== undefined) return { icon: "error", label: wrong, alwaysShow: true, action: { kind: "invalid" } };
  return {
    icon: "add",
    label: t`Use ${redactUrl(text)}`,
    description: redactUrl(normalizeUrl(text)),
    alwaysShow: true,
    action: { kind: "add", url: text },
  };
}

/** Sets that are remembered. */
const LIMIT = 5;

/** Endpoints that were captured together in this workspace, the latest set first. */
export function recentSets(memory: Pick<Memento, "get">): readonly (readonly ChosenEndpoint[])[] {
  return memory.get<readonly (readonly ChosenEndpoint[])[]>(MEMORY_KEYS.endpoints, []);
}

/** Remembers what the user typed or discovered; what the settings name needs no memory. */
export async function rememberSet(
  memory: Pick<Memento, "get" | "update">,
  endpoints: readonly ChosenEndpoint[],
): Promise<void> {
  const own = endpoints.filter(({ origin }) => origin === "typed" || origin === "discovered");
  if (own.length === 0) return;
  const isOwn = (set: readonly ChosenEndpoint[]) =>
    set.length === own.length &&
    own.every(({ url }) => set.some((other) => endpointName(other.url) === endpointName(url)));
  const others = recentSets(memory).filter((set) => !isOwn(set));
  await memory.update(MEMORY_KEYS.endpoints, [own, ...others].slice(0, LIMIT));
}
