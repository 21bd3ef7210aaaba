import { t } from "@vscode/l10n";
import path from "node:path";
import { Uri, window } from "vscode";
import { validateUrl } from "../../collect/url.js";
import { UserError } from "../../core/text/errors.js";
import { freePath } from "../../files/folders.js";
import { openedFolder } from "../settings/read.js";
import { askInput } from "../workbench-text.js";
import { commandLine } from "./command-line.js";

/** **New Experiment…**: writes an example into the workspace, for the servers that are given, and opens it. */
export async function newExperiment(cliPath: string): Promise<void> {
  const given = await askInput({
    title: t("New Experiment"),
    prompt: t(
      "Metrics of the two servers to compare, or of the one place where both are started in turn. Leave it empty for an example with two simulated servers.",
    ),
    placeholder: "http://127.0.0.1:8000/metrics http://127.0.0.1:8001/metrics",
    validate: (text) => {
      const urls = urlsIn(text);
      if (urls.length > 2) return t("Two at the most: more configurations are added in the file.");
      return urls.map(validateUrl).find((problem) => problem !== undefined);
    },
  });
  if (given === undefined) return;
  const urls = urlsIn(given);
  const options = urls.flatMap((url) => ["--endpoint", url]);
  await writeExperiment(cliPath, urls.length === 0 ? "demo" : "new", options);
}

const urlsIn = (text: string) => text.split(/[\s,]+/).filter((part) => part !== "");

/**
 * Has the command line write an experiment into the workspace, under a name that is free, and opens it.
 * @param options of `experiment init`
 * @throws UserError
 */
export async function writeExperiment(cliPath: string, name: string, options: readonly string[]): Promise<void> {
  const folder = openedFolder();
  if (folder === undefined)
    throw new UserError(t("An experiment is a file of the workspace."), t("Open a folder first."));
  const file = await freePath((suffix) => path.join(folder, `${name}${suffix}.experiment.yaml`));
  await commandLine(cliPath, ["experiment", "init", ...options, "--", file]);
  await window.showTextDocument(Uri.file(file), { preview: false });
}
