import { t } from "@vscode/l10n";
import { isFound, searchWords } from "../../src/core/catalog/search.js";
import type { ConfigNode, LabelCount } from "../../src/protocol/index.js";
import { naturalOrder } from "../../src/core/text/names.js";
import { labelsOf } from "../search/find.js";
import { plural } from "../../src/core/text/plural.js";

/** What a tree view shows and copies. */
export interface TreeNode {
  /** Unique in the tree. */
  readonly path: string;
  readonly key: string;
  readonly text?: string;
  /** What Copy Value copies. */
  readonly value: string;
  readonly children: readonly TreeNode[];
}

export interface VisibleNode {
  readonly node: TreeNode;
  /** From 1. */
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
}

/** A configuration: paths as JavaScript and jq write them, values as JSON. */
export function configTree(nodes: readonly ConfigNode[], parent = "", list = false): TreeNode[] {
  return nodes.map((node) => {
    const path = list
      ? `${parent}[${node.key}]`
      : /^[A-Za-z_$][\w$]*$/.test(node.key)
        ? `${parent}${parent === "" ? "" : "."}${node.key}`
        : `${parent}[${JSON.stringify(node.key)}]`;
    if (!("children" in node)) return { path, key: node.key, text: node.text, value: node.text, children: [] };
    const children = configTree(node.children, path, node.kind === "list");
    return {
      path,
      key: node.key,
      text: node.kind === "list" ? `[${children.length}]` : `{${children.length}}`,
      value: jsonOf(node, ""),
      children,
    };
  });
}

function jsonOf(node: ConfigNode, indent: string): string {
  if (!("children" in node)) return node.kind === "text" ? JSON.stringify(node.text) : node.text;
  const inner = `${indent}  `;
  const members = node.children.map(
    (child) => `${inner}${node.kind === "list" ? "" : `${JSON.stringify(child.key)}: `}${jsonOf(child, inner)}`,
  );
  const [open, close] = node.kind === "list" ? ["[", "]"] : ["{", "}"];
  return members.length === 0 ? `${open}${close}` : `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

/** The labels of a run's series, by name, with their values and how many series of how many metrics carry each. */
export function labelTree(counts: readonly LabelCount[]): TreeNode[] {
  return [...labelsOf(counts)]
    .sort(([a], [b]) => naturalOrder(a, b))
    .map(([name, values]) => {
      const sorted = [...values].sort(([a], [b]) => naturalOrder(a, b));
      return {
        path: name,
        key: name,
        text: plural(sorted.length, t("value"), t("values")),
        value: sorted.map(([value]) => value).join("\n"),
        children: sorted.map(([value, { series, families }]) => ({
          path: `${name}=${JSON.stringify(value)}`,
          key: value === "" ? "(empty)" : value,
          text: t`${plural(series, t("series"), t("series"))} of ${plural(families.size, t("metric"), t("metrics"))}`,
          value,
          children: [],
        })),
      };
    });
}

/** No list of children is drawn longer than this; a search narrows it. */
export const SHOWN_CHILDREN = 500;

/** The nodes in sight. A search shows what contains every word, with what it stands in and all that stands in it. */
export function visibleNodes(roots: readonly TreeNode[], expanded: ReadonlySet<string>, search: string): VisibleNode[] {
  const words = searchWords(search);
  const matches = ({ path, text }: TreeNode): boolean => isFound(`${path} ${text ?? ""}`.toLowerCase(), words);
  const found = (node: TreeNode): boolean => matches(node) || node.children.some(found);
  const visible: VisibleNode[] = [];
  const add = (nodes: readonly TreeNode[], level: number) => {
    const shown = (words.length === 0 ? nodes : nodes.filter(found)).slice(0, SHOWN_CHILDREN);
    shown.forEach((node, i) => {
      visible.push({ node, level, position: i + 1, siblings: shown.length });
      if (expanded.has(node.path) || (words.length > 0 && node.children.some(found))) add(node.children, level + 1);
    });
  };
  add(roots, 1);
  return visible;
}
