import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { UserError } from "../../core/text/user-error.js";
import { readNamedText } from "../../files/opener.js";
import { AssertionError, parseWithPatterns, type Assertion } from "../../core/compare/index.js";

/** @throws UserError showing the place */
export function readAssertion(text: string, where: string): Assertion {
  try {
    return parseWithPatterns(text);
  } catch (error) {
    if (error instanceof AssertionError) throw new UserError(`${where}, ${error.message}`);
    throw error;
  }
}

/** An assertion, and the place of a file that it stands at. */
export interface PlacedAssertion {
  readonly assertion: Assertion;
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
}

/**
 * Assertions of a YAML or JSON file: a list of them, or an object with the list under `assert`.
 * @throws UserError naming file, line and column
 */
export async function readAssertionFile(file: string): Promise<PlacedAssertion[]> {
  const text = await readNamedText(file);
  const lines = new LineCounter();
  const { contents, errors } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = errors;
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new UserError(`${file}, line ${line}, column ${col}: ${problem.message}.`);
  }
  const list = isMap(contents) ? contents.get("assert", true) : contents;
  if (!isSeq(list) || list.items.length === 0)
    throw new UserError(
      `${file} holds no list of assertions.`,
      "Write a list of strings, or one under the key assert.",
    );
  return list.items.map((item, i) => {
    if (!isScalar(item) || typeof item.value !== "string")
      throw new UserError(`${file}: assertion ${i + 1} is not a string${isScalar(item) ? "" : "; put it in quotes"}.`);
    const { line } = lines.linePos(item.range?.[0] ?? 0);
    return { assertion: readAssertion(item.value, `${file}, line ${line}, assertion ${i + 1}`), file, line };
  });
}
