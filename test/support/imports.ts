import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

export interface Import {
  /** As written: "./window.js", "undici", "node:fs/promises". */
  readonly specifier: string;
  /** Erased by the compiler. */
  readonly typeOnly: boolean;
  /** 1-based. */
  readonly line: number;
}

/** Every module that a source names: static, dynamic and type imports, re-exports and require calls. */
export function importsOf(source: string, fileName = "module.tsx"): Import[] {
  const file = ts.createSourceFile(
    fileName,
    source,
    ts.ScriptTarget.Latest,
    true,
    fileName.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    found.push({
      specifier: specifier.text,
      typeOnly,
      line: file.getLineAndCharacterOfPosition(specifier.getStart()).line + 1,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node))
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference))
      add(node.moduleReference.expression, node.isTypeOnly);
    else if (
      ts.isCallExpression(node) &&
      (node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText(file) === "require")
    ) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Paths of all TypeScript files under the folders, relative to `root`, with forward slashes. */
export function sourceFiles(root: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
      .map((file) => path.posix.join(folder, file.split(path.sep).join("/"))),
  );
}

/** Imports of a file on disk, each relative one resolved to a path relative to `root`, without its extension. */
export function resolvedImports(root: string, file: string): (Import & { readonly target: string | undefined })[] {
  return importsOf(readFileSync(path.join(root, file), "utf8"), file).map((one) => ({
    ...one,
    target: one.specifier.startsWith(".")
      ? path.posix.join(path.posix.dirname(file), one.specifier).replace(/\.jsx?$/, "")
      : undefined,
  }));
}
