import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, textFiles } from "../support/repository-files.js";

/** Names things that there are not. */
const OWN = "test/unit/documents.test.ts";
const FILES = [...textFiles(".")];
/** Files and folders, below the project's own. */
const PLACES = new Set(FILES.flatMap((file) => [file, ...foldersOf(file)]));
/** The change log tells of the past, the notices of others. */
const DOCUMENTS = FILES.filter((file) => file.endsWith(".md") && !/^(CHANGELOG|THIRD_PARTY_NOTICES)\.md$/.test(file));
const CODE = FILES.filter((file) => (/\.(tsx?|m[jt]s|css)$/.test(file) && file !== OWN) || file === "package.json");
const CODE_TEXT = CODE.map((file) => readFileSync(path.join(ROOT, file), "utf8")).join("\n");
const CODE_WORDS = new Set(CODE_TEXT.match(/\w+/g));

const SOURCE_FILE = /^[\w./-]+\.(tsx?|m[jt]s|css)$/;
const SOURCE_FOLDER = /^(src|webview-ui|test|core|engine|extension|files|collect|docs|media)\/[\w./-]+$/;
/** A name in code is told from a word by a capital inside. */
const CODE_NAME = /^(?=\w*[a-z])\w+[A-Z]\w*(\.\w+)*(\(\))?$/;

function foldersOf(file: string): string[] {
  const folder = path.posix.dirname(file);
  return folder === "." ? [] : [folder, ...foldersOf(folder)];
}

/** Does a document name a place: from its own folder, from the project's, or by the end of a path? */
function isPlace(name: string, document: string): boolean {
  const end = name.replace(/\/$/, "");
  if (PLACES.has(path.posix.join(path.posix.dirname(document), end))) return true;
  return [...PLACES].some((place) => place === end || place.endsWith(`/${end}`));
}

/** What a document says that is not so. */
function untrue(document: string, text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  const links = [...prose.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = ""]) => target);
  const options = spans.flatMap((span) => span.match(/(?<![\w-])--[a-z][\w-]+/g) ?? []);
  const isUnknownOption = (option: string) =>
    ![option, `--no-${option.slice(2)}`].some((one) => CODE_TEXT.includes(one));
  return [
    ...spans
      .filter((span) => SOURCE_FILE.test(span) || SOURCE_FOLDER.test(span))
      .filter((span) => !isPlace(span, document)),
    ...spans
      .filter((span) => CODE_NAME.test(span) && !SOURCE_FILE.test(span))
      .filter((span) => span.split(/\W+/).some((word) => word !== "" && !CODE_WORDS.has(word))),
    ...links.filter(
      (target) => !/^[a-z]+:/.test(target) && !existsSync(path.join(ROOT, path.dirname(document), target)),
    ),
    ...(document.startsWith("docs/") || document === "README.md" ? options.filter(isUnknownOption) : []),
  ].map((what) => `${document}: ${what}`);
}

describe("the documents", () => {
  it("that name what is not there are noticed", () => {
    const text = [
      "`vanished.ts` `src/core/vanished` `goneClass` `GoneClass.of()` [page](vanished.md) `capture --vanish`",
      "`store.ts` `src/core/store` `RunStore` `GridSchedule` [page](README.md) `capture --formats` [web](https://a.b/c)",
      "`scrape` `vllm:x` `/metrics` `GoneClass and words`",
    ].join("\n");
    expect(untrue("docs/x.md", text.replace("README.md", "../README.md"))).toEqual(
      ["vanished.ts", "src/core/vanished", "goneClass", "GoneClass.of()", "vanished.md", "--vanish"].map(
        (what) => `docs/x.md: ${what}`,
      ),
    );
  });

  it("name files, code and options that there are", () => {
    expect(DOCUMENTS).toContain("ARCHITECTURE.md");
    expect(DOCUMENTS).toContain("src/core/store/README.md");
    expect(DOCUMENTS.flatMap((file) => untrue(file, readFileSync(path.join(ROOT, file), "utf8")))).toEqual([]);
  });
});
