import * as l10n from "@vscode/l10n";

// Imported before the modules that have texts: some of theirs are made when they are loaded.
const contents = document.getElementById("root")?.dataset["texts"];
if (contents !== undefined) l10n.config({ contents });
