import { LineCounter, parseDocument } from "yaml";
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

/**
 * Assertions of a YAML or JSON file: a list of them, or an object with the list under `assert`.
 * @throws UserError naming file, line and column
 */
export async function readAssertionFile(path: string): Promise<Assertion[]> {
  const text = await readNamedText(path);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new UserError(`${path}, line ${line}, column ${col}: ${problem.message}.`);
  }
  const content: unknown = document.toJS();
  const list = typeof content === "object" && content !== null && "assert" in content ? content.assert : content;
  if (!Array.isArray(list) || list.length === 0)
    throw new UserError(
      `${path} holds no list of assertions.`,
      "Write a list of strings, or one under the key assert.",
    );
  return list.map((item: unknown, i) => {
    if (typeof item !== "string")
      throw new UserError(
        `${path}: assertion ${i + 1} is not a string${typeof item === "object" ? "; put it in quotes" : ""}.`,
      );
    return readAssertion(item, `${path}: assertion ${i + 1}`);
  });
}
