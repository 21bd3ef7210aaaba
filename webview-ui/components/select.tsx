import { useLayoutEffect, useRef } from "preact/hooks";
import type { ValueElement } from "../toolkit.js";

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: NoInfer<T>;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly onSelect: (value: T) => void;
}

/** A dropdown of the toolkit that follows `value`, whichever of value and options comes first. */
export function Select<T extends string>({ label, value, options, onSelect }: SelectProps<T>) {
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
        const chosen = options.find((one) => one.value === event.currentTarget.value);
        if (chosen !== undefined && chosen.value !== value) onSelect(chosen.value);
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
