import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./bytes.js";

/**
 * Counts the series of a JSON artifact as its bytes come (the objects in `metrics.<name>.series`), and checks that its
 * brackets and texts close. It holds no more than the names on the way to where it stands, however long the file is.
 */
export class JsonSeriesCounter {
  private series = 0;
  /** Opened and not closed, outermost first: the bracket, and the name under which it stands. */
  private readonly open: { readonly bracket: number; readonly name: string }[] = [];
  private state: "outside" | "text" | "escape" = "outside";
  private expectsName = false;
  /** Bytes of the name being read or read last. */
  private name: number[] = [];
  private readsName = false;
  private ended = false;
  private offset = 0;

  /** @throws Error where brackets do not match, saying at which byte */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const c = bytes[at] ?? 0;
      if (this.state === "text") {
        if (c === BACKSLASH) this.state = "escape";
        else if (c === QUOTE) this.state = "outside";
        if (this.readsName && this.state !== "outside") this.name.push(c);
      } else if (this.state === "escape") {
        this.state = "text";
        if (this.readsName) this.name.push(c);
      } else if (c > 0x20) {
        this.take(c, at);
      }
    }
    this.offset += bytes.length;
  }

  /** @returns how many series there are. @throws Error when the document has not ended */
  end(): number {
    if (!this.ended) throw new Error(`it breaks off at byte ${this.offset}`);
    return this.series;
  }

  private take(c: number, at: number): void {
    if (this.ended) throw new Error(`there is more after its end, from byte ${this.offset + at} on`);
    switch (c) {
      case QUOTE:
        this.state = "text";
        this.readsName = this.expectsName;
        if (this.readsName) this.name = [];
        return;
      case COLON:
        this.expectsName = false;
        return;
      case COMMA:
        this.expectsName = this.open.at(-1)?.bracket === OPEN_BRACE;
        return;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.begin(c);
        return;
      case CLOSE_BRACE:
      case CLOSE_BRACKET: {
        const opened = this.open.pop();
        if (opened?.bracket !== (c === CLOSE_BRACE ? OPEN_BRACE : OPEN_BRACKET))
          throw new Error(`a bracket closes at byte ${this.offset + at} that was not opened`);
        this.ended = this.open.length === 0;
        this.expectsName = false;
        return;
      }
      default:
        if (this.open.length === 0) throw new Error(`it begins with "${String.fromCharCode(c)}"`);
    }
  }

  private begin(bracket: number): void {
    const [, metrics, , list] = this.open;
    if (
      bracket === OPEN_BRACE &&
      this.open.length === 4 &&
      (metrics?.name === "metrics" || metrics?.name === "warmup_metrics") &&
      list?.name === "series" &&
      list.bracket === OPEN_BRACKET
    )
      this.series++;
    const inObject = this.open.at(-1)?.bracket === OPEN_BRACE;
    this.open.push({ bracket, name: inObject ? String.fromCharCode(...this.name.slice(0, 16)) : "" });
    this.expectsName = bracket === OPEN_BRACE;
  }
}
