import { grouped } from "../../text/plural.js";

/** A row of CSV, or a line that begins with #. */
export type CsvRow =
  | { readonly kind: "cells"; readonly line: number; readonly cells: readonly string[] }
  | { readonly kind: "comment"; readonly line: number; readonly text: string };

const MAX_CELL = 64 * 1024 * 1024;
/** A column per name of a label: nobody has a tenth of these. A cell of one byte takes up to forty. */
const MAX_CELLS = 100_000;

/** Cuts CSV (RFC 4180, with comments) into rows as its text comes. An empty line is a row without cells. */
export class CsvRows {
  private cells: string[] = [];
  private cell = "";
  private state: "start" | "plain" | "quoted" | "closing" | "comment" = "start";
  private line = 1;
  private rowStart = 1;

  constructor(private readonly onRow: (row: CsvRow) => void) {}

  /** The line that the row being read began in. */
  get rowLine(): number {
    return this.rowStart;
  }

  /** @throws Error for a cell beyond 64 MiB, as a quote was not closed, and for a row of more than 100,000 cells */
  push(text: string): void {
    let from = 0;
    const flush = (to: number) => (this.cell += text.slice(from, to));
    for (let at = 0; at < text.length; at++) {
      const c = text[at];
      if (c === "\n") this.line++;
      switch (this.state) {
        case "quoted":
          if (c !== '"') continue;
          flush(at);
          this.state = "closing";
          continue;
        case "closing":
          // Two quotes are one that belongs to the cell.
          if (c === '"') {
            this.state = "quoted";
            from = at;
            continue;
          }
          this.state = "plain";
          from = at;
          break;
        case "comment":
          if (c !== "\n") continue;
          flush(at);
          this.onRow({ kind: "comment", line: this.rowStart, text: this.cell.replace(/\r$/, "") });
          this.restart();
          continue;
        case "start":
        case "plain":
          break;
      }
      if (this.state === "start") {
        from = at;
        if (this.cells.length === 0 && c === "#") {
          this.state = "comment";
          continue;
        }
        if (c === '"') {
          this.state = "quoted";
          from = at + 1;
          continue;
        }
        this.state = "plain";
      }
      if (c === ",") {
        flush(at);
        this.endCell();
      } else if (c === "\n") {
        flush(at);
        this.endRow();
      }
    }
    if (this.state !== "start" && this.state !== "closing") flush(text.length);
    if (this.cell.length > MAX_CELL) throw new Error(`the cell that begins in line ${this.rowStart} has no end`);
  }

  /** @throws Error when the text ends within quotes of the row that began in `rowLine` */
  end(): void {
    if (this.state === "quoted") throw new Error("it breaks off within quotes");
    if (this.state === "comment") this.onRow({ kind: "comment", line: this.rowStart, text: this.cell });
    else if (this.cells.length > 0 || this.state !== "start") this.endRow();
  }

  private endCell(): void {
    if (this.cells.push(this.cell) > MAX_CELLS)
      throw new Error(`line ${this.rowStart} has more than ${grouped(MAX_CELLS)} cells`);
    this.cell = "";
    this.state = "start";
  }

  private endRow(): void {
    if (this.cell.endsWith("\r")) this.cell = this.cell.slice(0, -1);
    const empty = this.cells.length === 0 && this.cell === "";
    this.endCell();
    this.onRow({ kind: "cells", line: this.rowStart, cells: empty ? [] : this.cells });
    this.restart();
  }

  private restart(): void {
    this.cells = [];
    this.cell = "";
    this.state = "start";
    this.rowStart = this.line;
  }
}
