import { fieldsOf, parseJson } from "../../text/index.js";
import { ByteBuffer } from "../../bytes/index.js";

/* The bytes that give JSON its structure. */

export const NEWLINE = 0x0a;
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;

/** A member of the document, or of its `metrics` or `warmup_metrics`. */
export interface JsonMember {
  readonly parent: "document" | "metrics" | "warmup_metrics";
  readonly key: string;
  /** JSON text of its value. */
  readonly text: string;
  /** Of a long family: more of its series follow as another member of the same key. */
  readonly continues?: true;
}

/** Brackets within brackets cost JSON.parse a hundred bytes each. */
const MAX_DEPTH = 500;
/** Longest text that is parsed at once. */
const MAX_MEMBER_BYTES = 512 * 1024 * 1024 - 64;

/** A family longer than this comes in parts, each with some of its series: no string can hold one of any length. */
const PART_BYTES = 8 * 1024 * 1024;
/** Of the list of a family's series: the document, `metrics`, the family, the list. */
const LIST_DEPTH = 4;

/**
 * Cuts a JSON artifact into its members as its bytes come, those of `metrics` and `warmup_metrics` one by one, and long
 * ones between two series: a file of any size is read with the memory of a part of it.
 */
export class JsonMembers {
  private depth = 0;
  private inText = false;
  private escaped = false;
  private parent: JsonMember["parent"] = "document";
  /** What comes next, or ("name", "value") is being gathered. */
  private state: "start" | "key" | "name" | "colon" | "value" | "end" = "start";
  private key = "";
  private readonly kept = new ByteBuffer();
  private offset = 0;
  private readonly decoder = new TextDecoder();
  /** Bytes of a family up to the first item of a list, while within one that may be its series; otherwise 0. */
  private listAt = 0;

  constructor(
    private readonly onMember: (member: JsonMember) => void,
    private readonly partBytes = PART_BYTES,
  ) {}

  /** @throws Error when the text is not a JSON object, saying at which byte */
  push(bytes: Uint8Array): void {
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const c = bytes[at] ?? 0;
      if (this.inText) {
        if (this.escaped) this.escaped = false;
        else if (c === BACKSLASH) this.escaped = true;
        else if (c === QUOTE) this.inText = false;
        continue;
      }
      if (c <= 0x20) continue;
      const level = this.parent === "document" ? 1 : 2;
      if (this.state === "start") {
        this.begin(c, at);
        continue;
      }
      if (this.state === "end") throw new Error(`there is more after its end, from byte ${this.offset + at} on`);
      if (c === QUOTE) {
        this.inText = true;
        if (this.state === "key") {
          this.state = "name";
          from = at;
        }
      } else if (this.state === "name") {
        if (c !== COLON)
          throw new Error(`a colon was expected at byte ${this.offset + at}, not "${String.fromCharCode(c)}"`);
        this.keep(bytes.subarray(from, at));
        this.key = nameOf(this.taken(), this.offset + at);
        this.state = "colon";
        continue;
      } else if (this.state === "key") {
        if (c === CLOSE_BRACE) this.close();
        else if (c !== COMMA)
          throw new Error(`a name in quotes was expected at byte ${this.offset + at}, not "${String.fromCharCode(c)}"`);
        continue;
      } else if (this.state === "colon" && c === OPEN_BRACE && this.parent === "document" && isMetrics(this.key)) {
        this.parent = this.key;
        this.depth = 2;
        this.state = "key";
        continue;
      }
      if (this.state === "colon") {
        this.state = "value";
        from = at;
      }
      if (c === OPEN_BRACE || c === OPEN_BRACKET) {
        this.deepen(at);
        if (this.depth === LIST_DEPTH && level === 2)
          this.listAt = c === OPEN_BRACKET ? this.kept.length + at + 1 - from : 0;
      } else if (c === COMMA && this.depth === LIST_DEPTH && this.hasPart(at - from)) {
        this.keep(bytes.subarray(from, at));
        from = this.givePart() ? at + 1 : at;
      } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET || c === COMMA) {
        if (c !== COMMA && this.depth > level) this.depth--;
        else if (this.depth === level) {
          this.keep(bytes.subarray(from, at));
          this.onMember({ parent: this.parent, key: this.key, text: this.taken() });
          this.state = "key";
          if (c === CLOSE_BRACE) this.close();
        }
      }
    }
    if (this.state === "name" || this.state === "value") this.keep(bytes.subarray(from));
    this.offset += bytes.length;
  }

  /** @param more bytes beyond those kept */
  private hasPart(more: number): boolean {
    return this.listAt > 0 && this.kept.length + more > this.listAt + this.partBytes;
  }

  /** Gives the series so far, where what is before them says of what type they are. @returns whether it did */
  private givePart(): boolean {
    const head = this.kept.view.slice(0, this.listAt);
    if (head.length > this.partBytes || !endsInSeries(this.decoder.decode(head))) {
      this.listAt = 0;
      return false;
    }
    const text = `${this.decoder.decode(this.kept.view)}]}`;
    this.onMember({ parent: this.parent, key: this.key, text, continues: true });
    this.kept.clear();
    this.kept.append(head);
    return true;
  }

  /** @throws Error when the document has not ended, saying within what */
  end(): void {
    if (this.offset === 0) throw new Error("it is empty");
    if (this.state === "start") throw new Error("it contains only white space");
    if (this.state === "end") return;
    const where =
      this.key === ""
        ? ""
        : ` within ${this.parent !== "document" && this.key !== this.parent ? `${this.parent} › ${this.key}` : this.key}`;
    throw new Error(`it breaks off at byte ${this.offset}${where}`);
  }

  private begin(c: number, at: number): void {
    // A byte order mark.
    if (this.offset === 0 && at < 3 && (c === 0xef || c === 0xbb || c === 0xbf)) return;
    if (c !== OPEN_BRACE) throw new Error(`it should begin with {, not with "${String.fromCharCode(c)}"`);
    this.depth = 1;
    this.state = "key";
  }

  private deepen(at: number): void {
    if (++this.depth > MAX_DEPTH)
      throw new Error(`it nests more than ${MAX_DEPTH} levels deep at byte ${this.offset + at}, as no artifact does`);
  }

  private close(): void {
    this.depth--;
    if (this.parent !== "document") {
      this.key = this.parent;
      this.parent = "document";
    } else {
      this.state = "end";
    }
  }

  private keep(bytes: Uint8Array): void {
    if (this.kept.length + bytes.length > MAX_MEMBER_BYTES)
      throw new Error(`${this.key} is longer than ${MAX_MEMBER_BYTES} bytes`);
    this.kept.append(bytes);
  }

  private taken(): string {
    const text = this.decoder.decode(this.kept.view);
    this.kept.clear();
    return text;
  }
}

function isMetrics(key: string): key is "metrics" | "warmup_metrics" {
  return key === "metrics" || key === "warmup_metrics";
}

/** Whether the beginning of a family ends at its series, with its type before them. */
function endsInSeries(head: string): boolean {
  try {
    const family = fieldsOf(parseJson(`${head}]}`));
    return typeof family["type"] === "string" && Object.keys(family).at(-1) === "series";
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

function nameOf(text: string, end: number): string {
  try {
    return String(parseJson(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`the name that ends at byte ${end} is not valid JSON`);
  }
}
