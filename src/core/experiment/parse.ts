import { isMap, isNode, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import { UserError } from "../text/index.js";
import { definitionSchema, type ExperimentDefinition } from "./definition.js";

/** What is wrong with an experiment's file, and on which line. */
export class DefinitionError extends UserError {
  /** @param line from 1 */
  constructor(
    readonly reason: string,
    readonly line: number,
  ) {
    super(`line ${line}: ${reason}`);
  }
}

/**
 * Reads an experiment's file, YAML or JSON.
 * @throws DefinitionError for the first thing that is wrong
 */
export function parseDefinition(text: string): ExperimentDefinition {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined) throw new DefinitionError(sentence(broken.message), lines.linePos(broken.pos[0]).line);
  // 100 aliases at the most: a small file could stand for any amount.
  const result = definitionSchema.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = (issue?.path ?? []).filter((part) => typeof part !== "symbol");
  const keys = issue?.code === "unrecognized_keys" ? issue.keys : [];
  const place = placeOf(document, [...path, ...keys.slice(0, 1)]);
  const where = path.length === 0 ? "" : `${pathText(path)}: `;
  const message = keys.length > 0 ? `there is no "${keys.join('", "')}" here` : (issue?.message ?? "");
  throw new DefinitionError(sentence(`${where}${message}`), lines.linePos(place).line);
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `configurations[1].server` */
function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part + 1}]` : text === "" ? part : `${text}.${part}`),
    "",
  );
}

/** Where the value at a path begins, or the nearest one around it; of a key the key itself. */
function placeOf(document: Document.Parsed, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(({ key: own }) => isScalar(own) && own.value === key);
      if (pair !== undefined && isScalar(pair.key) && pair.key.range) return pair.key.range[0];
    }
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
