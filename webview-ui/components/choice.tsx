import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "./icon.js";
import type { ValueElement } from "../toolkit.js";

export interface ChoiceOption<T extends string> {
  readonly value: T;
  readonly text: string;
  readonly title?: string;
  readonly icon?: IconName;
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  /** With icons, the text is their name. */
  readonly options: readonly ChoiceOption<T>[];
  /** One that is no option: none is on. */
  readonly value: T | undefined;
  readonly onChoose: (value: T) => void;
}

/** A few words or icons of which one is on. */
export function Choice<T extends string>({ label, options, value, onChoose }: ChoiceProps<T>) {
  const name = useId();
  return (
    <div
      class={options.some(({ icon }) => icon !== undefined) ? "mode-switch" : "mode-switch choice"}
      role="radiogroup"
      aria-label={label}
    >
      {options.map((one) => (
        <label key={one.value} class="mode-button" title={one.title}>
          <input
            type="radio"
            name={name}
            aria-label={one.text}
            checked={one.value === value}
            onChange={() => onChoose(one.value)}
          />
          {one.icon === undefined ? one.text : <Icon name={one.icon} />}
        </label>
      ))}
    </div>
  );
}

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
