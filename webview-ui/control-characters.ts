import { Fragment, options, type ComponentChildren } from "preact";
import { plainText } from "../src/core/text/foreign-text.js";

/** Attributes that a person sees or hears. */
const SPOKEN = ["title", "aria-label", "placeholder", "alt"] as const;

/**
 * From now on text that a page draws has no control characters: what an endpoint or a file says could turn the writing
 * of what stands after it. It is done where elements are made, so that none of them can forget it.
 */
export function removeControlCharacters(): void {
  const before = options.vnode?.bind(options);
  options.vnode = (node) => {
    if (typeof node.type === "string") {
      const props: Record<string, unknown> = node.props;
      for (const name of SPOKEN) {
        const value = props[name];
        if (typeof value === "string") props[name] = plainText(value);
      }
    }
    if (typeof node.type === "string" || node.type === Fragment)
      node.props.children = withoutControlCharacters(node.props.children);
    before?.(node);
  };
}

function withoutControlCharacters(children: ComponentChildren): ComponentChildren {
  if (typeof children === "string") return plainText(children);
  return Array.isArray(children) ? children.map(withoutControlCharacters) : children;
}
