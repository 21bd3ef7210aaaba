import { t } from "@vscode/l10n";
import { isFound, searchWords } from "../../src/core/catalog/search.js";
import type { ConfigNode, LabelCount } from "../../src/protocol/index.js";
import { naturalOrder } from "../../src/core/text/names.js";
import { labelsOf } from "../search/find.js";
import { plural } from "../../src/core/text/plural.js";
import { useId, useRef, useState } from "preact/hooks";
import { Icon } from "../components/icon.js";
import { Menu } from "../menu/menu.js";
import { useAction } from "../state/action.js";
import { useView } from "../state/context.js";

/** What a tree view shows and copies. */
interface TreeNode {
  /** Unique in the tree. */
  readonly path: string;
  readonly key: string;
  readonly text?: string;
  /** What Copy Value copies. */
  readonly value: string;
  readonly children: readonly TreeNode[];
}

interface VisibleNode {
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
const SHOWN_CHILDREN = 500;

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

interface TreeViewProps {
  readonly label: string;
  readonly roots: readonly TreeNode[];
  /** Opened at first. */
  readonly open?: readonly string[];
  /** What a path is called in the menu. */
  readonly pathName: string;
}

/**
 * A tree as the ARIA practices describe it, with a search over it: arrow keys move, open and close; the menu key offers
 * to copy.
 */
export function TreeView({ label, roots, open = [], pathName }: TreeViewProps) {
  const { run } = useView();
  const action = useAction();
  const [search, setSearch] = useState("");
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set(open));
  const [current, setCurrent] = useState<string>();
  const [menu, setMenu] = useState<{ readonly anchor: Element; readonly node: TreeNode }>();
  const tree = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const visible = visibleNodes(roots, expanded, search);
  const stop = visible.some(({ node }) => node.path === current) ? current : visible[0]?.node.path;
  const isOpen = (at: number) => (visible[at + 1]?.level ?? 0) > (visible[at]?.level ?? 0);

  const toggle = ({ path }: TreeNode) => {
    const next = new Set(expanded);
    if (!next.delete(path)) next.add(path);
    setExpanded(next);
  };
  const focus = (at: number) => {
    const node = visible[at]?.node;
    if (node === undefined) return;
    setCurrent(node.path);
    tree.current?.querySelectorAll<HTMLElement>("[role=treeitem]")[at]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, at: number, { node, level }: VisibleNode) => {
    const branch = node.children.length > 0;
    const parent = () => visible.findLastIndex((one, i) => i < at && one.level === level - 1);
    const acts: { readonly [key: string]: () => void } = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(visible.length - 1),
      ArrowRight: () => (isOpen(at) ? focus(at + 1) : branch && toggle(node)),
      ArrowLeft: () => (isOpen(at) ? toggle(node) : focus(parent())),
      Enter: () => branch && toggle(node),
      " ": () => branch && toggle(node),
    };
    const act = acts[event.key];
    if (act === undefined) return;
    act();
    event.preventDefault();
  };
  const copy = (text: string, what: string) => action.start(run.client.call("copy", { text, what }));
  return (
    <div class="tree-view">
      <input
        class="input tree-search"
        type="search"
        aria-label={t`Search ${label.toLowerCase()}`}
        placeholder={t`Search ${label.toLowerCase()}`}
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {visible.length === 0 && <p class="muted">{t`Nothing matches “${search}”.`}</p>}
      <div class="tree" role="tree" aria-label={label} ref={tree}>
        {visible.map((one, at) => {
          const { node, level, position, siblings } = one;
          const branch = node.children.length > 0;
          return (
            <div
              key={node.path}
              id={`${prefix}-${at}`}
              class="tree-item"
              role="treeitem"
              aria-level={level}
              aria-posinset={position}
              aria-setsize={siblings}
              aria-expanded={branch ? isOpen(at) : undefined}
              tabIndex={node.path === stop ? 0 : -1}
              style={{ paddingLeft: `${(level - 1) * 16}px` }}
              title={node.path}
              onClick={() => {
                setCurrent(node.path);
                if (branch) toggle(node);
              }}
              onFocus={() => setCurrent(node.path)}
              onKeyDown={(event) => onKeyDown(event, at, one)}
              onContextMenu={(event) => {
                event.preventDefault();
                setMenu({ anchor: event.currentTarget, node });
              }}
            >
              <span class="tree-twistie">
                {branch && <Icon name={isOpen(at) ? "chevron-down" : "chevron-right"} />}
              </span>
              <span class="tree-key">{node.key}</span>
              {node.text !== undefined && <span class={`tree-text ${branch ? "muted" : ""}`}>{node.text}</span>}
              <button
                type="button"
                class="row-menu"
                tabIndex={-1}
                aria-label={t`Copy from ${node.key}`}
                onClick={(event) => {
                  event.stopPropagation();
                  setMenu({ anchor: event.currentTarget, node });
                }}
              >
                <Icon name="ellipsis" />
              </button>
            </div>
          );
        })}
      </div>
      {menu !== undefined && (
        <Menu
          label={t`Copy from ${menu.node.key}`}
          anchor={menu.anchor}
          onClose={() => setMenu(undefined)}
          items={[
            { id: "value", text: t("Copy Value"), icon: "copy", onPick: () => copy(menu.node.value, "value") },
            { id: "path", text: t`Copy ${pathName}`, onPick: () => copy(menu.node.path, pathName.toLowerCase()) },
          ]}
        />
      )}
    </div>
  );
}
