import { useRef } from "preact/hooks";
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

/**
 * A few words or icons of which one is on: one stop of the Tab key, arrows choose, as the ARIA practices have radio
 * groups.
 */
export function Choice<T extends string>({ label, options, value, onChoose }: ChoiceProps<T>) {
  const group = useRef<HTMLDivElement>(null);
  const stop = options.some((one) => one.value === value) ? value : options[0]?.value;
  const onKeyDown = (event: KeyboardEvent) => {
    const at = options.findIndex((one) => one.value === value);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (Math.max(0, at) + step + options.length) % options.length;
    const chosen = options[next];
    if (chosen === undefined) return;
    onChoose(chosen.value);
    group.current?.querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  return (
    <div
      class={options.some(({ icon }) => icon !== undefined) ? "mode-switch" : "mode-switch choice"}
      role="radiogroup"
      aria-label={label}
      ref={group}
      onKeyDown={onKeyDown}
    >
      {options.map((one) => (
        <button
          key={one.value}
          type="button"
          role="radio"
          class="mode-button"
          aria-checked={one.value === value}
          aria-label={one.icon === undefined ? undefined : one.text}
          title={one.title}
          tabIndex={one.value === stop ? 0 : -1}
          onClick={() => onChoose(one.value)}
        >
          {one.icon === undefined ? one.text : <Icon name={one.icon} />}
        </button>
      ))}
    </div>
  );
}
