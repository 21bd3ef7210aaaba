import { useRef } from "preact/hooks";
import { TextGroup } from "./text-group.js";

/**
 * The group of these texts, which stays the same one from render to render as long as the texts do: what is shown again
 * three times a second, or with each movement of the pointer, is not measured anew.
 */
export function useTextGroup(texts: readonly string[]): TextGroup {
  const last = useRef<{ readonly texts: readonly string[]; readonly group: TextGroup }>(null);
  const known = last.current;
  if (known !== null && known.texts.length === texts.length && known.texts.every((text, i) => text === texts[i]))
    return known.group;
  const group = new TextGroup(() => texts);
  last.current = { texts, group };
  return group;
}
