import {
  CodeLens,
  languages,
  MarkdownString,
  Location,
  ProgressLocation,
  QuickInputButtons,
  Range,
  TestMessage,
  TreeItem,
  window,
  type CancellationToken,
  type Disposable,
  type DocumentFilter,
  type Event,
  type LogOutputChannel,
  type QuickPick,
  type QuickPickItem,
  type QuickPickOptions,
  type StatusBarAlignment,
  type StatusBarItem,
  type TestController,
  type TestItem,
  type TextDocument,
  type ThemeColor,
  type TreeItemCollapsibleState,
  type Uri,
} from "vscode";
import type { CommandId } from "./manifest/commands.js";
import { iconFree, linkFree, Markdown, plainText } from "../core/text/index.js";

/*
 * Every place where the workbench shows text. Callers pass text as it came; what would act there (links that run
 * commands, icons, control characters) is made harmless here, and nowhere else: lint forbids the raw calls.
 */

/** A message without links. @returns the button pressed; undefined when it was dismissed */
export function showInformation(message: string, ...buttons: string[]): Thenable<string | undefined> {
  return window.showInformationMessage(linkFree(message), ...buttons);
}

/** As `showInformation`, as a warning. */
export function showWarning(message: string, ...buttons: string[]): Thenable<string | undefined> {
  return window.showWarningMessage(linkFree(message), ...buttons);
}

/** As `showInformation`, as an error. */
export function showError(message: string, ...buttons: string[]): Thenable<string | undefined> {
  return window.showErrorMessage(linkFree(message), ...buttons);
}

/** A question that has to be answered before anything else. @param detail one text, or one a line */
export function confirm(
  message: string,
  detail: string | readonly string[],
  ...buttons: string[]
): Thenable<string | undefined> {
  const lines = [detail].flat().map(linkFree).join("\n");
  return window.showWarningMessage(linkFree(message), { modal: true, detail: lines }, ...buttons);
}

/** Passes for a moment in the status bar. */
export function flashStatus(icon: string, text: string, milliseconds: number): Disposable {
  return window.setStatusBarMessage(`$(${icon}) ${iconFree(text)}`, milliseconds);
}

/** A notification with Cancel while `work` runs. */
export function showProgress<T>(
  title: string,
  work: (report: (message: string, increment: number) => void, signal: AbortSignal) => Promise<T>,
): Thenable<T> {
  return window.withProgress(
    { location: ProgressLocation.Notification, title: linkFree(title), cancellable: true },
    (progress, token) =>
      work((message, increment) => progress.report({ message: linkFree(message), increment }), signalOf(token)),
  );
}

/** Aborted by Cancel. */
export function signalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}

/** An item of a pick list; `icon` is a codicon drawn in front of the label. */
export interface PickRow extends QuickPickItem {
  readonly icon?: string;
}

function pickRow<T extends PickRow>(row: T): T {
  const { icon, label, description, detail } = row;
  return {
    ...row,
    label: icon === undefined ? iconFree(label) : `$(${icon}) ${iconFree(label)}`,
    ...(description === undefined ? {} : { description: iconFree(description) }),
    ...(detail === undefined ? {} : { detail: iconFree(detail) }),
  };
}

function pickTexts({ title = "", placeHolder = "", ...options }: QuickPickOptions): QuickPickOptions {
  return { ...options, title: linkFree(title), placeHolder: linkFree(placeHolder) };
}

/** @returns copies of the rows picked, with their text as shown */
export function pickMany<T extends PickRow>(rows: readonly T[], options: QuickPickOptions): Thenable<T[] | undefined> {
  return window.showQuickPick(rows.map(pickRow), { ...pickTexts(options), canPickMany: true });
}

/** As `pickMany`, of one row. */
export function pickOne<T extends PickRow>(rows: readonly T[], options: QuickPickOptions): Thenable<T | undefined> {
  return window.showQuickPick(rows.map(pickRow), { ...pickTexts(options), canPickMany: false });
}

/** A pick list whose rows change while it is shown. */
export interface PickList<T extends PickRow> extends Disposable {
  readonly pick: Omit<QuickPick<T>, "items" | "title" | "placeholder">;
  readonly setRows: (rows: readonly T[]) => void;
  /** Moves to the row that is meant, where there is one; rows are as they are shown. */
  readonly setActive: (isMeant: (row: T) => boolean) => void;
  readonly setTitle: (title: string) => void;
}

/** A list to pick from, whose texts hold neither links nor icons. */
export function createPickList<T extends PickRow>(title: string, placeholder: string): PickList<T> {
  const pick = window.createQuickPick<T>();
  pick.title = linkFree(title);
  pick.placeholder = linkFree(placeholder);
  return {
    pick,
    setRows: (rows) => {
      pick.items = rows.map(pickRow);
    },
    setActive: (isMeant) => {
      const meant = pick.items.find(isMeant);
      if (meant !== undefined) pick.activeItems = [meant];
    },
    setTitle: (text) => {
      pick.title = linkFree(text);
    },
    dispose: () => pick.dispose(),
  };
}

/** What a dialog ends with: Escape cancels. */
export type DialogAnswer<T> =
  { readonly kind: "value"; readonly value: T } | { readonly kind: "back" } | { readonly kind: "cancel" };

/** A question's place among several; from the second on one can go back. */
export interface Step {
  readonly step: number;
  readonly totalSteps: number;
}

export interface TextQuestion extends Partial<Step> {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  /** One can go back within the step. */
  readonly hasBack?: boolean;
  /** What is wrong with the text, as a sentence; undefined when it can be taken. */
  readonly validate?: (text: string) => string | undefined;
}

/** An input box that validates as one types and can go a step back. Enter takes the value shown. */
export function askText(question: TextQuestion): Promise<DialogAnswer<string>> {
  const box = window.createInputBox();
  box.title = linkFree(question.title);
  box.prompt = linkFree(question.prompt);
  box.placeholder = linkFree(question.placeholder ?? "");
  box.value = question.value ?? "";
  box.password = question.password === true;
  box.ignoreFocusOut = true;
  box.step = question.step;
  box.totalSteps = question.totalSteps;
  box.buttons = question.hasBack === true || (question.step ?? 1) > 1 ? [QuickInputButtons.Back] : [];
  const isTaken = (text: string): boolean => {
    const reason = question.validate?.(text);
    box.validationMessage = reason === undefined ? undefined : linkFree(reason);
    return reason === undefined;
  };
  return new Promise((resolve) => {
    let answer: DialogAnswer<string> = { kind: "cancel" };
    const close = (given: DialogAnswer<string>): void => {
      answer = given;
      box.hide();
    };
    box.onDidChangeValue(isTaken);
    box.onDidTriggerButton(() => close({ kind: "back" }));
    box.onDidAccept(() => {
      if (isTaken(box.value)) close({ kind: "value", value: box.value });
    });
    box.onDidHide(() => {
      box.dispose();
      resolve(answer);
    });
    box.show();
  });
}

/** As `askText`, of one question. @returns undefined when declined */
export async function askInput(question: TextQuestion): Promise<string | undefined> {
  const answer = await askText(question);
  return answer.kind === "value" ? answer.value : undefined;
}

export interface StatusContent {
  readonly icon: string;
  readonly text: string;
  /** Text as it came, or Markdown whose foreign parts are escaped. */
  readonly tooltip: string | Markdown;
  readonly background?: ThemeColor;
  /** For screen readers. */
  readonly spoken: string;
}

/** An item of the status bar, hidden at first. */
export function createStatus(
  id: string,
  alignment: StatusBarAlignment,
  priority: number,
): {
  readonly item: Pick<StatusBarItem, "name" | "command" | "show" | "hide" | "dispose">;
  readonly set: (content: StatusContent) => void;
} {
  const item = window.createStatusBarItem(id, alignment, priority);
  return {
    item,
    set: ({ icon, text, tooltip, background, spoken }) => {
      item.text = `$(${icon}) ${iconFree(text)}`;
      item.tooltip = hover(tooltip);
      item.backgroundColor = background;
      item.accessibilityInformation = { label: iconFree(spoken) };
    },
  };
}

/** Markdown may draw icons; links of it run no commands. */
function hover(text: string | Markdown): string | MarkdownString {
  if (!(text instanceof Markdown)) return plainText(text);
  const result = new MarkdownString(text.text, true);
  result.isTrusted = false;
  result.supportHtml = false;
  return result;
}

export interface TreeRow {
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly state: TreeItemCollapsibleState;
  /** For screen readers, where label and description do not do. */
  readonly spoken?: string;
}

/** A row of a tree, whose texts hold no icons. */
export function treeItem({ label, description, tooltip, state, spoken }: TreeRow): TreeItem {
  const item = new TreeItem(iconFree(label), state);
  item.description = iconFree(description);
  item.tooltip = plainText(tooltip);
  if (spoken !== undefined) item.accessibilityInformation = { label: iconFree(spoken) };
  return item;
}

/** A test, whose texts hold no icons. @param uri what it is about */
export function testItem(controller: TestController, id: string, label: string, uri?: Uri, description = ""): TestItem {
  const item = controller.createTestItem(id, iconFree(label), uri);
  item.description = iconFree(description);
  return item;
}

/** Why a test did not pass. @param place where what it asks for stands */
export function testMessage(text: string, place?: { readonly uri: Uri; readonly line: number }): TestMessage {
  const message = new TestMessage(plainText(text));
  if (place !== undefined) message.location = new Location(place.uri, new Range(place.line, 0, place.line, 0));
  return message;
}

/** Shows a terminal that runs a program. */
export function openTerminal(name: string, shellPath: string, shellArgs: string[]): void {
  window.createTerminal({ name: iconFree(name), shellPath, shellArgs }).show();
}

/** The title of a panel's tab. */
export function setPanelTitle(panel: { title: string }, title: string): void {
  panel.title = iconFree(title);
}

/** A command that is offered above a file. */
export interface CommandLens {
  readonly title: string;
  readonly icon: string;
  readonly command: CommandId | "vscode.open";
  readonly argument: unknown;
  readonly tooltip?: string;
  /** It stands above, from 0; absent: the first. */
  readonly line?: number;
}

/** Offers commands above lines of files. @param changed asks for them anew */
export function commandLenses(
  files: DocumentFilter,
  lensesOf: (document: TextDocument) => readonly CommandLens[] | Promise<readonly CommandLens[]>,
  changed?: Event<void>,
): Disposable {
  return languages.registerCodeLensProvider(files, {
    ...(changed === undefined ? {} : { onDidChangeCodeLenses: changed }),
    provideCodeLenses: async (document) =>
      (await lensesOf(document)).map(
        ({ title, icon, command, argument, tooltip = "", line = 0 }) =>
          new CodeLens(new Range(line, 0, line, 0), {
            title: `$(${icon}) ${iconFree(title)}`,
            tooltip: plainText(tooltip),
            command,
            arguments: [argument],
          }),
      ),
  });
}

/** The extension's own output channel. An Error is written with its stack. */
export type Log = Pick<LogOutputChannel, "trace" | "debug" | "info" | "warn" | "error" | "show" | "dispose">;

/** The log of this name in the Output view, without control characters. */
export function createLog(name: string): Log {
  const channel = window.createOutputChannel(name, { log: true });
  return {
    trace: (message) => channel.trace(plainText(message)),
    debug: (message) => channel.debug(plainText(message)),
    info: (message) => channel.info(plainText(message)),
    warn: (message) => channel.warn(plainText(message)),
    error: (message) =>
      channel.error(plainText(message instanceof Error ? (message.stack ?? message.message) : message)),
    show: () => channel.show(),
    dispose: () => channel.dispose(),
  };
}
