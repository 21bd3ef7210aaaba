import { useLayoutEffect, useRef } from "preact/hooks";
import type { ValueElement } from "../toolkit.js";

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onSelect: (value: string) => void;
}

/** A dropdown of the toolkit that follows `value`, whichever of value and options comes first. */
export function Select({ label, value, options, onSelect }: SelectProps) {
  const element = useRef<ValueElement>(null);
  useLayoutEffect(() => {
    if (element.current !== null && element.current.value !== value) element.current.value = value;
  }, [value, options]);
  return (
    <vscode-dropdown
      ref={element}
      class="select"
      // Above it, the list would open beneath the tab bar.
      position="below"
      aria-label={label}
      title={label}
      onChange={(event) => {
        if (event.currentTarget.value !== value) onSelect(event.currentTarget.value);
      }}
    >
      {options.map((option) => (
        <vscode-option key={option.value} value={option.value}>
          {option.text}
        </vscode-option>
      ))}
    </vscode-dropdown>
  );
}
