import { useId } from "preact/hooks";
import { Icon, type IconName } from "./icon.js";

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
