import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import { pathNames } from "../../src/core/text/names.js";
import type { ReportAbout } from "../../src/protocol/index.js";
import { PlainTable, SortedTable } from "../components/plain-table.js";
import { TextList } from "../components/text-list.js";
import type { Block } from "../../src/core/text/document.js";

/** What the report was made of, and what it leaves out. */
export function About({
  about: { made, version, files, leftOut, details, redacted },
}: {
  readonly about: ReportAbout;
}) {
  const names = pathNames(files.map(({ path }) => path));
  return (
    <footer class="report-about" aria-labelledby="about-report">
      {details !== undefined && <Document blocks={details} />}
      <h2 id="about-report">{t("About this report")}</h2>
      <p>{t`Made by Server Metrics ${version} on ${made.slice(0, 16).replace("T", " at ")} UTC. Everything is in this file: it loads nothing and sends nothing.`}</p>
      {redacted.length > 0 && (
        <p>{t`Hidden: ${redacted.join(", ")}. They have other names here, the same one wherever they occur. Numbers are as measured.`}</p>
      )}
      {leftOut.length > 0 && (
        <>
          <h3>{t("Left out")}</h3>
          <TextList class="report-list" items={leftOut} />
        </>
      )}
      {files.length > 0 && (
        <PlainTable label={t("Raw files")} caption={t("Raw files")} heads={[t("File"), t("Size"), "SHA-256"]}>
          {files.map(({ path, bytes, sha256 }, i) => (
            <tr key={path}>
              <th scope="row">{names[i]}</th>
              <td>{formatValue(bytes, "bytes")}</td>
              <td>
                <code>{sha256}</code>
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
    </footer>
  );
}

/** Blocks of text, with tables that sort. */
function Document({ blocks }: { readonly blocks: readonly Block[] }) {
  let title = "";
  return (
    <>
      {blocks.map((block, i) => {
        if (block.kind === "heading") title = block.text;
        return <Part key={i} block={block} label={title} />;
      })}
    </>
  );
}

function Part({ block, label }: { readonly block: Block; readonly label: string }) {
  switch (block.kind) {
    case "heading":
      return block.level === 1 ? (
        <h1>{block.text}</h1>
      ) : block.level === 2 ? (
        <h2>{block.text}</h2>
      ) : (
        <h3>{block.text}</h3>
      );
    case "paragraph":
      return <p>{block.text}</p>;
    case "list":
      return <TextList class="report-list" items={block.items} />;
    case "table":
      return (
        <SortedTable
          label={label}
          heads={block.heads}
          rows={block.rows.map((cells, i) => ({ key: String(i), cells, order: cells }))}
        />
      );
  }
}
