import type { ByteRange } from "./tokenizer.js";

const FATAL = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const REPLACING = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A piece of an exposition, unescaped as a label value is: `\\`, `\n` and `\"`; any other backslash stands for
 * itself. Undefined when it is not UTF-8.
 */
export function readText(bytes: Uint8Array, { start, end }: ByteRange): string | undefined {
  try {
    return unescape(FATAL.decode(bytes.subarray(start, end)), /\\(["\\n])/g);
  } catch {
    return undefined;
  }
}

/** HELP text: `\\` and `\n`, in OpenMetrics `\"` too; what is not UTF-8 shows as U+FFFD. */
export function readHelp(bytes: Uint8Array, { start, end }: ByteRange, quotes: boolean): string {
  const text = REPLACING.decode(bytes.subarray(start, end));
  return unescape(text, quotes ? /\\(["\\n])/g : /\\([\\n])/g);
}

function unescape(text: string, pattern: RegExp): string {
  return text.includes("\\") ? text.replace(pattern, (_, c: string) => (c === "n" ? "\n" : c)) : text;
}
