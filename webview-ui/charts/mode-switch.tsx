import { useRef } from "preact/hooks";
import type { FamilySummary } from "../../src/protocol/index.js";
import { Icon } from "../components/icon.js";
import { modesOf, type CardMode } from "./mode.js";

interface ModeSwitchProps {
  readonly title: string;
  readonly family: FamilySummary;
  readonly mode: CardMode;
  readonly onMode: (mode: CardMode) => void;
}

/** Small buttons, one of them on: one stop of the Tab key, arrows choose, as the ARIA practices have radio groups. */
export function ModeSwitch({ title, family, mode, onMode }: ModeSwitchProps) {
  const group = useRef<HTMLDivElement>(null);
  const modes = modesOf(family, mode);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = modes.findIndex((one) => one.mode === mode);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (at + step + modes.length) % modes.length;
    onMode(modes[next]?.mode ?? mode);
    group.current?.querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  return (
    <div class="mode-switch" role="radiogroup" aria-label={`What the chart of ${title} shows`} ref={group} onKeyDown={onKeyDown}>
      {modes.map((one) => (
        <button
          key={one.mode}
          type="button"
          role="radio"
          class="mode-button"
          aria-checked={one.mode === mode}
          aria-label={one.name}
          title={one.title}
          tabIndex={one.mode === mode ? 0 : -1}
          onClick={() => onMode(one.mode)}
        >
          <Icon name={one.icon} />
        </button>
      ))}
    </div>
  );
}
