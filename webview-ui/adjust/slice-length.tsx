import { t } from "@vscode/l10n";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { describeError } from "../../src/protocol/index.js";
import { useView } from "../state/context.js";
import { COMMON_SLICES, parseSlice } from "./text.js";

const NO_LENGTH = t("A slice's length is a number of seconds above 0, such as 5 or 0.5.");

/** The length of slices: Enter applies what was typed or picked from the list, Escape takes back what was typed. */
export function SliceLength({ seconds }: { readonly seconds: number }) {
  const { run } = useView();
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const id = useId();
  const show = () => {
    if (input.current !== null) input.current.value = String(seconds);
  };
  useLayoutEffect(show, [seconds]);

  const apply = () => {
    const wanted = parseSlice(input.current?.value ?? "");
    setProblem(wanted === undefined ? NO_LENGTH : undefined);
    if (wanted === undefined || wanted === seconds) return;
    run.client.call("adjust", { sliceSeconds: wanted }).catch((error: unknown) => {
      const { code, message, remedy } = describeError(error);
      if (code !== "cancelled")
        setProblem([message.replace(/\.?$/, "."), remedy].filter((part) => part !== undefined).join(" "));
    });
  };
  const revert = () => {
    setProblem(undefined);
    show();
  };
  return (
    <div class="slice-length">
      <label for={id}>{t("Slice:")}</label>
      <input
        id={id}
        ref={input}
        class="input slice-input"
        inputMode="decimal"
        autocomplete="off"
        list={`${id}-common`}
        title={t("Length of timeslices in seconds; Enter applies it")}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply();
          else if (event.key === "Escape") revert();
        }}
        // What was not applied does not stay to be taken for what holds.
        onBlur={() => problem === undefined && show()}
      />
      <datalist id={`${id}-common`}>
        {COMMON_SLICES.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <span>s</span>
      <span class="slice-problem tone-error" id={`${id}-problem`} role="alert">
        {problem}
      </span>
    </div>
  );
}
