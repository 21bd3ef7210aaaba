import type { OpenedFile } from "../../src/protocol/index.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { Icon } from "../components/icon.js";
import { elideMiddle } from "../shorten/siblings.js";
import type { Action } from "../state/action.js";
import { useView } from "../state/context.js";
import { byWhatTheyHave, fileName, formatName } from "./text.js";

interface FileLineProps {
  readonly file: OpenedFile;
  readonly action: Action;
}

/** The file a run was read from, what it lacks, and the files of the same run beside it. */
export function FileLine({ file, action }: FileLineProps) {
  const { richer, others } = byWhatTheyHave(file);
  return (
    <div class="file-line">
      <span class="file-own" title={file.path}>
        <Icon name="file" /> {elideMiddle(fileName(file.path), 56)}
      </span>
      <span class="muted">
        {formatName(file.format)}, {formatValue(file.bytes, "bytes")}
      </span>
      <Siblings text="the same run as" siblings={others} action={action} />
      {file.lacks !== undefined && (
        <span class="file-lacks">
          <Icon name="info" /> {file.lacks}{" "}
          <Siblings text="What is missing is in the" siblings={richer} action={action} />
        </span>
      )}
    </div>
  );
}

interface SiblingsProps {
  readonly text: string;
  readonly siblings: OpenedFile["siblings"];
  readonly action: Action;
}

function Siblings({ text, siblings, action }: SiblingsProps) {
  const { run } = useView();
  if (siblings.length === 0) return null;
  // Copies of one format are distinguished by their names.
  const shown = ({ path, format }: OpenedFile["siblings"][number]) =>
    siblings.filter((other) => other.format === format).length > 1
      ? elideMiddle(fileName(path), 40)
      : formatName(format);
  return (
    <span class="file-siblings">
      <span class="muted">{text}</span>
      {siblings.map((sibling) => (
        <button
          key={sibling.path}
          type="button"
          class="link"
          title={`Open ${sibling.path}`}
          aria-label={`Open the ${formatName(sibling.format)} of this run, ${fileName(sibling.path)}`}
          onClick={() => action.start(run.client.call("openFile", { path: sibling.path }))}
        >
          {shown(sibling)}
        </button>
      ))}
    </span>
  );
}
