import { QuickInputButtons } from "vscode";
import { createInputField } from "../sinks.js";

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
  const { title, prompt, placeholder } = question;
  const { box, refuse } = createInputField({ title, prompt, placeholder });
  box.value = question.value;
  box.ignoreFocusOut = true;
  box.step = question.step;
  box.totalSteps = question.totalSteps;
  box.buttons = (question.step ?? 1) > 1 ? [QuickInputButtons.Back] : [];
  return new Promise((resolve) => {
    let answer: Answer<string> = { kind: "cancel" };
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
