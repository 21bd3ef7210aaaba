import * as l10n from "@vscode/l10n";
import { l10n as workbench } from "vscode";

// Imported before the modules that have texts: some of theirs are made when they are loaded.
if (workbench.bundle !== undefined) l10n.config({ contents: workbench.bundle });
