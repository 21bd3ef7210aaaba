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

const COMMON_CHANGES = [
  "a finding",
  "an artifact format",
  "a setting",
  "an option of the command line",
  "a server",
  "a tool of agents",
  "something a view asks",
  "a sink (where a run is sent)",
  "a column of `runs`",
  "a way to show a family in a chart",
];

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

  it("say for each common change in which files it is made, and these are there", () => {
    const text = readFileSync(path.join(ROOT, "ARCHITECTURE.md"), "utf8");
    const [, section = ""] = /^## Where to change what\n([\s\S]*?)^## /m.exec(text) ?? [];
    const rows = section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| what "));
    const titles = rows.map((row) => row.split("|")[1]?.trim());
    expect(titles).toEqual(expect.arrayContaining(COMMON_CHANGES));
    expect(rows.flatMap(missingIn)).toEqual([]);
    expect(missingIn("| a thing | `src/core/vanished/x.ts`, listed in `vanished.ts` |")).toHaveLength(2);
  });
});

/** The files that a row names and that are not there: by path, or by name in the folders that the row is about. */
function missingIn(row: string): string[] {
  const named = [...row.matchAll(/`([\w./-]+)`/g)].map(([, name = ""]) => name);
  const paths = named.filter((name) => /^(src|webview-ui|test|docs)\//.test(name));
  const folders = paths.map((name) => path.posix.dirname(name));
  return named.filter((name) =>
    paths.includes(name)
      ? !PLACES.has(name)
      : SOURCE_FILE.test(name) &&
        !FILES.some((file) => file.endsWith(`/${name}`) && folders.some((folder) => file.startsWith(`${folder}/`))),
  );
}
