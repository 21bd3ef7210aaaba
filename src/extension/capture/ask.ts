import { QuickInputButtons, window } from "vscode";

export type Answer<T> =
  { readonly kind: "value"; readonly value: T } | { readonly kind: "back" } | { readonly kind: "cancel" };

export interface TextQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly value: string;
  readonly placeholder?: string;
  /** Of several questions; from the second on one can go back. */
  readonly step?: number;
  readonly totalSteps?: number;
  /** What is wrong with the text, as a sentence; undefined when it can be taken. */
  validate(text: string): string | undefined;
}

/** An input box that validates as one types and can go a step back. Escape cancels; Enter takes the value shown. */
export function askText(question: TextQuestion): Promise<Answer<string>> {
  const box = window.createInputBox();
  box.title = question.title;
  box.prompt = question.prompt;
  box.value = question.value;
  box.placeholder = question.placeholder;
  box.ignoreFocusOut = true;
  box.step = question.step;
  box.totalSteps = question.totalSteps;
  box.buttons = (question.step ?? 1) > 1 ? [QuickInputButtons.Back] : [];
  return new Promise((resolve) => {
    let answer: Answer<string> = { kind: "cancel" };
    box.onDidChangeValue((text) => {
      box.validationMessage = question.validate(text);
    });
    box.onDidTriggerButton(() => {
      answer = { kind: "back" };
      box.hide();
    });
    box.onDidAccept(() => {
      box.validationMessage = question.validate(box.value);
      if (box.validationMessage !== undefined) return;
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
