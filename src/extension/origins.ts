import { t } from "@vscode/l10n";
import { commands, workspace, type Memento } from "vscode";
import { confirm } from "./workbench-text.js";
import { contactText, originOf, type Contact } from "../collect/origin.js";
import { validateUrl } from "../collect/url.js";
import { isFields, UserError } from "../core/text/index.js";
import { MEMORY_KEYS } from "./command-ids.js";
import { SETTINGS } from "./settings/definitions.js";
import { userValue } from "./settings/read.js";

const OF_CAPTURES = t(
  "A capture sends requests to endpoints and writes files. Trust the workspace, then start the capture again.",
);

/**
 * Whether a capture may begin: it sends requests and writes files. In a workspace that is not trusted the user is asked
 * to trust it first, and starts the capture again when that is done.
 * @param detail of something else that is done only in trusted workspaces
 */
export async function mayCapture(detail = OF_CAPTURES): Promise<boolean> {
  if (workspace.isTrusted) return true;
  const manage = t("Manage Workspace Trust");
  const chosen = await confirm(t("This workspace is not trusted."), detail, manage);
  if (chosen === manage) await commands.executeCommand("workbench.trust.manage");
  return false;
}

/** Who names a server for the user. */
type Namer = "workspace" | "file" | "agent";

const WORDS: Readonly<Record<Namer, string>> = {
  workspace: t("The settings of this workspace name"),
  file: t("The file names"),
  agent: t("An agent asks to capture"),
};

/** Whether the user was not asked, or did not agree. */
export function isUnapproved(error: unknown): error is UserError {
  return error instanceof UserError && error.code === "not-approved";
}

/**
 * Decides which servers may be contacted, and with what: those that the user named by typing them or in the user's own
 * settings, and those that the user approved when a workspace, a file or an agent named them. Approvals are kept in
 * the extension's own storage, outside of any workspace.
 */
export class Origins {
  constructor(private readonly memory: Memento) {}

  /** Origins of the user's own settings and of stores that the user has opened. */
  named(): ReadonlySet<string> {
    const entries = [SETTINGS.endpoints, SETTINGS.stores, SETTINGS.remoteWrite].map(userValue);
    const urls = [...entries, this.memory.get<unknown>(MEMORY_KEYS.stores)]
      .flat()
      .map((entry) => (isFields(entry) ? entry["url"] : entry));
    return new Set(
      urls.flatMap((url) => (typeof url === "string" && validateUrl(url) === undefined ? originOf(url) : [])),
    );
  }

  /**
   * Asks the user for those that are neither named nor approved, all at once.
   * @param mayAsk false: nobody waits for a question
   * @throws UserError "not-approved" naming them
   */
  async require(namer: Namer, contacts: readonly Contact[], mayAsk = true): Promise<void> {
    const named = this.named();
    const approved = this.approved(namer);
    const texts = contacts
      // What goes along is the namer's doing, whoever named the server.
      .filter((one) => contactText(one) !== originOf(one.url) || !named.has(originOf(one.url)))
      .map(contactText);
    const open = [...new Set(texts)].filter((text) => !approved.includes(text));
    if (open.length === 0) return;
    const servers = open.length === 1 ? t("a server") : t`${open.length} servers`;
    const agreed =
      mayAsk &&
      (await confirm(
        t`Contact ${servers}?`,
        [
          `${WORDS[namer]}:`,
          ...open,
          t("Your answer is kept until these change. “Forget Approved Servers” takes it back."),
        ],
        t("Allow"),
      )) === t("Allow");
    if (!agreed)
      throw new UserError(
        t`Nothing was sent: ${WORDS[namer].replace(/^./, (first) => first.toLowerCase())} ${servers} that you have not approved: ${open.join("; ")}.`,
        undefined,
        { code: "not-approved" },
      );
    await this.remember(namer, open);
  }

  /** The user named them, and has them written where the workspace keeps its settings. */
  async approve(contacts: readonly Contact[]): Promise<void> {
    await this.remember("workspace", contacts.map(contactText));
  }

  /** Voids what was approved of this workspace but for these. @throws InvalidUrlError */
  async retain(contacts: readonly Contact[]): Promise<void> {
    const texts = new Set<unknown>(contacts.map(contactText));
    const before = this.approved("workspace");
    const kept = before.filter((text) => texts.has(text));
    if (kept.length < before.length) await this.store("workspace", kept);
  }

  /** Takes all approvals back. @returns how many there were */
  async forget(): Promise<number> {
    const count = Object.values(this.stored()).flat().length;
    await this.memory.update(MEMORY_KEYS.approved, undefined);
    return count;
  }

  private approved(namer: Namer): readonly unknown[] {
    const list = this.stored()[keyOf(namer)];
    return Array.isArray(list) ? list : [];
  }

  private stored(): Readonly<Record<string, unknown>> {
    const stored = this.memory.get<unknown>(MEMORY_KEYS.approved);
    return isFields(stored) ? stored : {};
  }

  private async remember(namer: Namer, texts: readonly string[]): Promise<void> {
    await this.store(namer, [...new Set([...this.approved(namer), ...texts])]);
  }

  private async store(namer: Namer, texts: readonly unknown[]): Promise<void> {
    await this.memory.update(MEMORY_KEYS.approved, { ...this.stored(), [keyOf(namer)]: texts });
  }
}

/** What one workspace names says nothing of another. */
function keyOf(namer: Namer): string {
  if (namer !== "workspace") return namer;
  return `workspace ${String(workspace.workspaceFile ?? workspace.workspaceFolders?.[0]?.uri ?? "")}`;
}
