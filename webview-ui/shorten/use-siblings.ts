import { useRef } from "preact/hooks";
import { Siblings } from "./siblings.js";

/**
 * Siblings of these texts, which stay the same ones from render to render as long as the texts do: what is shown again
 * three times a second, or with each movement of the pointer, is not measured anew.
 */
export function useSiblings(texts: readonly string[]): Siblings {
  const last = useRef<{ readonly texts: readonly string[]; readonly siblings: Siblings }>(null);
  const known = last.current;
  if (known !== null && known.texts.length === texts.length && known.texts.every((text, i) => text === texts[i]))
    return known.siblings;
  const siblings = new Siblings(() => texts);
  last.current = { texts, siblings };
  return siblings;
}
