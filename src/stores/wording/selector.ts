/** What completes a selector that is being typed. */
export type Completion =
  /** Families, before a brace. */
  | { readonly kind: "family"; readonly typed: string; readonly before: string }
  /** Names of labels, after `{` or `,`. */
  | { readonly kind: "label"; readonly typed: string; readonly before: string; readonly match: string | undefined }
  /** Values of a label, inside of quotes. */
  | {
      readonly kind: "value";
      readonly label: string;
      readonly typed: string;
      readonly before: string;
      readonly match: string | undefined;
    }
  /** The selector may end here. */
  | { readonly kind: "whole" }
  /** Nothing is known to come here. */
  | { readonly kind: "unclear" };

const WHOLE_MATCHER = /[a-zA-Z_]\w*\s*(?:=~|!~|!=|=)\s*"(?:[^"\\]|\\.)*"/y;

/** Where in a selector somebody is who has typed so far, and which of its matchers are whole. */
export function completionOf(text: string): Completion {
  const brace = text.indexOf("{");
  if (brace < 0) return { kind: "family", typed: text.trim(), before: "" };
  const name = text.slice(0, brace).trim();
  const matchers: string[] = [];
  let at = brace + 1;
  for (;;) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    WHOLE_MATCHER.lastIndex = at;
    const matcher = WHOLE_MATCHER.exec(text);
    if (matcher === null) break;
    matchers.push(matcher[0]);
    at = WHOLE_MATCHER.lastIndex;
    const [between = ""] = /^\s*,?/.exec(text.slice(at)) ?? [];
    at += between.length;
    if (!between.includes(",")) return { kind: "whole" };
  }
  const match = name === "" && matchers.length === 0 ? undefined : `${name}{${matchers.join(",")}}`;
  const rest = text.slice(at);
  const value = /^([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)$/.exec(rest);
  if (value !== null) {
    const [, label = "", typed = ""] = value;
    return { kind: "value", label, typed, before: text.slice(0, text.length - typed.length), match };
  }
  const label = /^\w*$/.exec(rest);
  return label === null ? { kind: "unclear" } : { kind: "label", typed: rest, before: text.slice(0, at), match };
}

/** The text with a completion taken. */
export function completed(completion: Exclude<Completion, { kind: "whole" | "unclear" }>, chosen: string): string {
  switch (completion.kind) {
    case "family":
      return `${chosen}{`;
    case "label":
      return `${completion.before}${chosen}="`;
    case "value":
      return `${completion.before}${chosen.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
  }
}

/** A selector as it is sent: closed, where it only lacks its end; undefined while it selects nothing yet. */
export function wholeSelector(text: string): string | undefined {
  const trimmed = text.trim();
  if (/^[a-zA-Z_:][\w:]*$/.test(trimmed)) return trimmed;
  const open = trimmed.replace(/[,\s]*\}?\s*$/, "");
  return completionOf(open).kind === "whole" ? `${open}}` : undefined;
}
