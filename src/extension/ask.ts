import { QuickInputButtons } from "vscode";
import { createInputField, createPickList, type PickRow } from "./workbench-text.js";

export type DialogAnswer<T> =
  { readonly kind: "value"; readonly value: T } | { readonly kind: "back" } | { readonly kind: "cancel" };

export interface TextQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly value: string;
  readonly placeholder?: string;
  /** Of several questions; from the second on one can go back. */
  readonly step?: number;
  readonly totalSteps?: number;
  /** One can go back within the step. */
  readonly hasBack?: boolean;
  /** What is wrong with the text, as a sentence; undefined when it can be taken. */
  validate(text: string): string | undefined;
}

export interface PickQuestion<T extends PickRow> {
  readonly title: string;
  readonly placeholder: string;
  readonly step: number;
  readonly totalSteps: number;
  /** The rows for what has been typed. */
  rows(text: string): readonly T[];
  /** Rows are asked for once more when it settles; until then the list shows that it is at work. */
  readonly more?: Promise<unknown>;
}

/** A list of rows to pick from, from the second step on with a way back. Escape cancels; Enter takes the active row. */
export function askRow<T extends PickRow>(question: PickQuestion<T>): Promise<DialogAnswer<T>> {
  const { title, placeholder, step, totalSteps, more } = question;
  const list = createPickList<T>(title, placeholder);
  const { pick } = list;
  pick.ignoreFocusOut = true;
  pick.matchOnDescription = true;
  pick.step = step;
  pick.totalSteps = totalSteps;
  pick.buttons = step > 1 ? [QuickInputButtons.Back] : [];
  const show = () => list.setRows(question.rows(pick.value));
  show();
  return new Promise((resolve) => {
    let answer: DialogAnswer<T> = { kind: "cancel" };
    let isOpen = true;
    pick.onDidChangeValue(show);
    pick.onDidTriggerButton(() => {
      answer = { kind: "back" };
      pick.hide();
    });
    pick.onDidAccept(() => {
      // Enter may come before the row for what was typed is on the screen.
      const row = pick.selectedItems[0] ?? question.rows(pick.value).find(({ alwaysShow }) => alwaysShow === true);
      if (row === undefined) return;
      answer = { kind: "value", value: row };
      pick.hide();
    });
    pick.onDidHide(() => {
      isOpen = false;
      list.dispose();
      resolve(answer);
    });
    if (more !== undefined) {
      pick.busy = true;
      void more.then(() => {
        if (!isOpen) return;
        pick.busy = false;
        const [active] = pick.activeItems;
        show();
        list.setActive(({ label }) => label === active?.label);
      });
    }
    pick.show();
  });
}

/** An input box that validates as one types and can go a step back. Escape cancels; Enter takes the value shown. */
export function askText(question: TextQuestion): Promise<DialogAnswer<string>> {
  const { title, prompt, placeholder } = question;
  const { box, refuse } = createInputField({ title, prompt, placeholder });
  box.value = question.value;
  box.ignoreFocusOut = true;
  box.step = question.step;
  box.totalSteps = question.totalSteps;
  box.buttons = question.hasBack === true || (question.step ?? 1) > 1 ? [QuickInputButtons.Back] : [];
  return new Promise((resolve) => {
    let answer: DialogAnswer<string> = { kind: "cancel" };
    box.onDidChangeValue((text) => {
      refuse(question.validate(text));
    });
    box.onDidTriggerButton(() => {
      answer = { kind: "back" };
      box.hide();
    });
    box.onDidAccept(() => {
      const reason = question.validate(box.value);
      refuse(reason);
      if (reason !== undefined) return;
      answer = { kind: "value", value: box.value };
      box.hide();
    });
    box.onDidHide(() => {
      box.dispose();
      resolve(answer);
    });
    box.show();
  });
}
