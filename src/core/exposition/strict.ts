import type { DocumentLine, DocumentReader, SampleLine } from "./document-lines.js";
import type { ExpositionFormat } from "./format.js";
import { FamilyCheck, sampleNames } from "./strict-family.js";
import { placeSample } from "./sample-names.js";

/** OpenMetrics text ends in "# EOF" and in nothing else. @throws ParseError */
export function checkEnd(reader: DocumentReader, lines: readonly DocumentLine[], format: ExpositionFormat): void {
  if (format === "text") return;
  const eof = lines.findIndex((line) => line.kind === "eof");
  const after = lines[eof + 1];
  if (eof < 0) throw reader.error(reader.end, MISSING_EOF);
  if (after !== undefined) throw reader.error(after.offset, AFTER_EOF);
}

export const MISSING_EOF = '"# EOF" (OpenMetrics text that stops before it is cut off)';
export const AFTER_EOF = 'nothing after "# EOF"';

/**
 * Judges an exposition by the letter of its format: OpenMetrics 1.0 (github.com/prometheus/OpenMetrics,
 * specification/OpenMetrics.md), or text 0.0.4 (prometheus.io, "Exposition formats").
 */
export class DocumentCheck {
  private family: FamilyCheck | undefined;
  /** Names of families and of the samples they may have. */
  private readonly taken = new Set<string>();

  constructor(
    private readonly reader: DocumentReader,
    private readonly format: ExpositionFormat,
  ) {}

  /** @throws ParseError */
  take(line: DocumentLine): void {
    switch (line.kind) {
      case "blank":
      case "comment":
        if (this.format === "openmetrics")
          throw this.reader.error(line.offset, 'a sample, or "# " with HELP, TYPE, UNIT or EOF');
        return;
      case "eof":
        return;
      case "help":
      case "type":
      case "unit":
        if (this.family?.name !== line.name)
          this.begin(new FamilyCheck(line.name, this.reader, this.format), line.offset);
        this.family?.declare(line);
        return;
      case "sample":
        this.familyFor(line).take(line);
    }
  }

  /** The end of a family's lines, or of all. @throws ParseError */
  finish(): void {
    this.family?.finish();
    if (this.family !== undefined) this.occupy(this.family);
    this.family = undefined;
  }

  private familyFor(line: SampleLine): FamilyCheck {
    const { family } = this;
    if (family !== undefined) {
      const place = placeSample(line.name, (name) => (name === family.name ? family.type : undefined));
      if (place.family === family.name && sampleNames(family.name, family.type, this.format).includes(line.name))
        return family;
      if (line.name === family.name) {
        const names = sampleNames(family.name, family.type, this.format).join(", ");
        throw this.reader.error(line.offset, `a sample of the ${family.type} ${family.name} (${names})`, line.name);
      }
    }
    return this.begin(new FamilyCheck(line.name, this.reader, this.format), line.offset);
  }

  private begin(family: FamilyCheck, offset: number): FamilyCheck {
    this.finish();
    if (this.taken.has(family.name))
      throw this.reader.error(
        offset,
        "one block of lines per metric family",
        `${family.name}, which an earlier block already has`,
      );
    return (this.family = family);
  }

  private occupy({ name, type, offset }: FamilyCheck): void {
    for (const each of new Set([name, ...sampleNames(name, type, this.format)])) {
      if (this.taken.has(each))
        throw this.reader.error(offset, "families without sample names in common", `${each} in two of them`);
      this.taken.add(each);
    }
  }
}
