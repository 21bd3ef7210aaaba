import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import type { RunHeader } from "../../src/protocol/index.js";
import { formatName } from "../adjust/text.js";
import { formatLength } from "../format/time.js";

/** One line of what is known of a run. */
export interface RunFact {
  readonly name: string;
  readonly value: string;
  /** Said on hover, and copied in its place: the exact value. */
  readonly exact?: string;
}

/** File, identity and times of a run; what is not known is left out. */
export function runFacts(header: RunHeader): RunFact[] {
  const { file, label, benchmarkId, profilingStart, profilingEnd, window } = header;
  const fact = (name: string, value: string | undefined, exact?: string): RunFact[] =>
    value === undefined || value === "" ? [] : [{ name, value, ...(exact === undefined ? {} : { exact }) }];
  const stretch = (from: number, to: number | undefined): RunFact[] => {
    const end = to === undefined ? [] : [clock(header, to)];
    const length = to === undefined ? "" : ` (${formatLength((to - from) / 1e9)})`;
    return fact(
      from === window?.start ? t("chosen window") : t("profiling"),
      [clock(header, from).text, ...(end.length === 0 ? [t("in progress")] : end.map(({ text }) => text))].join(" – ") +
        length,
      [clock(header, from).ns, ...end.map(({ ns }) => ns)].join(" – "),
    );
  };
  return [
    ...fact(t("file"), file?.path),
    ...fact(t("format"), file === undefined ? undefined : formatName(file.format)),
    ...fact(t("size"), file === undefined ? undefined : formatValue(file.bytes, "bytes"), t`${file?.bytes ?? 0} bytes`),
    ...fact(t("schema version"), file?.schemaVersion),
    ...fact(t("written by"), file?.exporter),
    ...fact(t("label"), label),
    ...fact(t("benchmark id"), benchmarkId),
    // A file without times begins at 0.
    ...(header.originNs === "0"
      ? []
      : [
          ...fact(t("first scrape"), clock(header, 0).text, clock(header, 0).ns),
          ...stretch(profilingStart, profilingEnd),
          ...(window === undefined ? [] : stretch(window.start, window.end)),
        ]),
    ...fact(
      t("slices"),
      header.sliceDurationSeconds > 0 ? formatValue(header.sliceDurationSeconds, "seconds") : undefined,
    ),
  ];
}

/** Local date and time with milliseconds, and the exact nanoseconds since the epoch. */
function clock({ originMs, originNs }: RunHeader, offset: number): { readonly text: string; readonly ns: string } {
  const date = new Date(originMs + offset / 1e6);
  const two = (value: number, width = 2) => String(value).padStart(width, "0");
  return {
    text: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${two(date.getMilliseconds(), 3)}`,
    ns: `${BigInt(originNs) + BigInt(Math.round(offset))} ns`,
  };
}
