import { useRef } from "preact/hooks";
import { Icon } from "../components/icon.js";
import { CARD_MODES, type CardMode } from "./mode.js";

interface ModeSwitchProps {
  readonly title: string;
  readonly mode: CardMode;
  readonly onMode: (mode: CardMode) => void;
}

/** Three small buttons, one of them on: one stop of the Tab key, arrows choose, as the ARIA practices have radio groups. */
export function ModeSwitch({ title, mode, onMode }: ModeSwitchProps) {
  const group = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = CARD_MODES.findIndex((one) => one.mode === mode);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (at + step + CARD_MODES.length) % CARD_MODES.length;
    onMode(CARD_MODES[next]?.mode ?? mode);
    group.current?.querySelectorAll<HTMLElement>("button")[next]?.focus();
  };
  return (
    <div class="mode-switch" role="radiogroup" aria-label={`What the chart of ${title} shows`} ref={group} onKeyDown={onKeyDown}>
      {CARD_MODES.map((one) => (
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
