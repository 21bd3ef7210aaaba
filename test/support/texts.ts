import { readFileSync } from "node:fs";
import ts from "typescript";

/**
 * The texts of a source, those of a template whole.
 * @param but calls whose arguments are left out, by name
 */
export function textsIn(file: string, but: ReadonlySet<string> = new Set()): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node))
      texts.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…"));
    const called = (ts.isCallExpression(node) || ts.isNewExpression(node)) && nameOf(node.expression);
    if (called !== false && but.has(called)) visit(node.expression);
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function nameOf(called: ts.Expression): string {
  return ts.isPropertyAccessExpression(called) ? called.name.text : ts.isIdentifier(called) ? called.text : "";
}
