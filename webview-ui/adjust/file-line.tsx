import type { OpenedFile } from "../../src/protocol/index.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { Icon } from "../components/icon.js";
import { elideMiddle } from "../format/text.js";
import type { Action } from "../state/action.js";
import { useView } from "../state/context.js";
import { fileName, formatName } from "./text.js";

interface FileLineProps {
  readonly file: OpenedFile;
  readonly action: Action;
}

/** The file a run was read from, and those of the same run beside it. */
export function FileLine({ file, action }: FileLineProps) {
  const { run } = useView();
  return (
    <div class="file-line">
      <span class="file-own" title={file.path}>
        <Icon name="file" /> {elideMiddle(fileName(file.path), 56)}
      </span>
      <span class="muted">
        {formatName(file.format)}, {formatValue(file.bytes, "bytes")}
      </span>
      {file.siblings.length > 0 && (
        <span class="file-siblings">
          <span class="muted">the same run as</span>
          {file.siblings.map((sibling) => (
            <button
              key={sibling.path}
              type="button"
              class="link"
              title={`Open ${sibling.path}`}
              aria-label={`Open the ${formatName(sibling.format)} of this run, ${fileName(sibling.path)}`}
              onClick={() => action.start(run.client.call("openFile", { path: sibling.path }))}
            >
              {formatName(sibling.format)}
            </button>
          ))}
        </span>
      )}
    </div>
  );
}
