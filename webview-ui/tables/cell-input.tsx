import { useLayoutEffect, useRef } from "preact/hooks";

interface CellInputProps {
  readonly label: string;
  readonly text: string;
  /** Undefined: it stays as it was. */
  readonly onDone: (text: string | undefined) => void;
}

/** A cell whose text is changed. Enter and leaving it take the text, Escape does not. */
export function CellInput({ label, text, onDone }: CellInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useLayoutEffect(() => input.current?.select(), []);
  const done = (changed: string | undefined) => {
    // It is left once more as it goes.
    if (isDone.current) return;
    isDone.current = true;
    onDone(changed === text ? undefined : changed);
  };
  return (
    <input
      ref={input}
      class="input cell-input"
      aria-label={label}
      defaultValue={text}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") done(event.currentTarget.value);
        if (event.key === "Escape") done(undefined);
      }}
      onBlur={(event) => done(event.currentTarget.value)}
    />
  );
}
