import { t } from "@vscode/l10n";
import type { OpenedFile } from "../../src/protocol/index.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { Icon } from "../components/icon.js";
import { Select } from "../components/select.js";
import { elideMiddle } from "../shorten/text-group.js";
import type { RunningAction } from "../state/action.js";
import { useView } from "../state/context.js";
import { fileName, fileOptions, formatName } from "./text.js";

/** The file a run was read from, the other files of the run, and what the one that is shown lacks. */
export function FileLine({ file, action }: { readonly file: OpenedFile; readonly action: RunningAction }) {
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
        <Select
          label={t("Show the run, or one of its files alone")}
          value={file.alone === true ? file.path : ""}
          options={fileOptions(file)}
          onSelect={(path) => action.start(run.client.call("showFile", path === "" ? {} : { path }))}
        />
      )}
      {file.lacks !== undefined && (
        <span class="file-lacks">
          <Icon name="info" /> {file.lacks}
        </span>
      )}
    </div>
  );
}
