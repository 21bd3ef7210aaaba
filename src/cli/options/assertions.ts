import { LineCounter, parseDocument } from "yaml";
import { readGivenText } from "../../files/opener.js";
import { AssertionError, parseAssertion, type Assertion } from "../../core/compare/index.js";
import { CommandError } from "../exit.js";

/** @throws CommandError showing the place */
export function readAssertion(text: string, where: string): Assertion {
  try {
    return parseAssertion(text);
  } catch (error) {
    if (error instanceof AssertionError) throw new CommandError(`${where}, ${error.message}`);
    throw error;
  }
}

/**
 * Assertions of a YAML or JSON file: a list of them, or an object with the list under `assert`.
 * @throws CommandError naming file, line and column; FileError
 */
export async function readAssertionFile(path: string): Promise<Assertion[]> {
  const text = await readGivenText(path);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new CommandError(`${path}, line ${line}, column ${col}: ${problem.message}.`);
  }
  const content: unknown = document.toJS();
  const list = typeof content === "object" && content !== null && "assert" in content ? content.assert : content;
  if (!Array.isArray(list) || list.length === 0)
    throw new CommandError(
      `${path} holds no list of assertions.`,
      2,
      "Write a list of strings, or one under the key assert.",
    );
  return list.map((item: unknown, i) => {
    if (typeof item !== "string")
      throw new CommandError(
        `${path}: assertion ${i + 1} is not a string${typeof item === "object" ? "; put it in quotes" : ""}.`,
      );
    return readAssertion(item, `${path}: assertion ${i + 1}`);
  });
}
