import type { ByteRange } from "./tokenizer.js";

/** Up to here joining characters is faster than a decoder, and leaves a flat string. */
const LONGEST_JOINED = 12;

/** Makes strings of pieces of an exposition. */
export class TextReader {
  private readonly fatal = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  private readonly replacing = new TextDecoder("utf-8", { ignoreBOM: true });

  /**
   * The piece unescaped as a label value is: `\\`, `\n` and `\"`; any other backslash stands for itself. Undefined when
   * it is not UTF-8.
   */
  read(bytes: Uint8Array, { start, end, plain }: ByteRange): string | undefined {
    if (plain && end - start <= LONGEST_JOINED) {
      let text = "";
      for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] ?? 0);
      return text;
    }
    const text = this.decode(bytes.subarray(start, end));
    return text === undefined ? undefined : unescape(text, /\\(["\\n])/g);
  }

  /** HELP text: `\\` and `\n`, in OpenMetrics `\"` too; what is not UTF-8 shows as U+FFFD. */
  readHelp(bytes: Uint8Array, { start, end }: ByteRange, quotes: boolean): string {
    const text = this.replacing.decode(bytes.subarray(start, end));
    return unescape(text, quotes ? /\\(["\\n])/g : /\\([\\n])/g);
  }

  private decode(bytes: Uint8Array): string | undefined {
    try {
      return this.fatal.decode(bytes);
    } catch {
      return undefined;
    }
  }
}

function unescape(text: string, pattern: RegExp): string {
  return text.includes("\\") ? text.replace(pattern, (_, c: string) => (c === "n" ? "\n" : c)) : text;
}
