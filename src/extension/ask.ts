import { QuickInputButtons } from "vscode";
import { createPickList, type DialogAnswer, type PickList, type PickRow, type Step } from "./workbench-text.js";

export interface ListQuestion<Row extends PickRow, T> extends Step {
  readonly title: string;
  readonly placeholder: string;
  /** What is typed at first. */
  readonly value?: string;
  /** Sets the rows for what has been typed. */
  fill(list: PickList<Row>): void;
  /** Has the rows set once more, whenever there are others, for as long as the list is open. */
  readonly follow?: (again: () => void) => void;
  /** What Enter means; undefined: the list stays open. */
  accept(row: Row | undefined, list: PickList<Row>): T | undefined;
}

/** A list to pick from, from the second step on with a way back. Escape cancels. */
export function askList<Row extends PickRow, T>(question: ListQuestion<Row, T>): Promise<DialogAnswer<T>> {
  const { title, placeholder, step, totalSteps, value = "" } = question;
  const list = createPickList<Row>(title, placeholder);
  const { pick } = list;
  pick.ignoreFocusOut = true;
  pick.matchOnDescription = true;
  pick.step = step;
  pick.totalSteps = totalSteps;
  pick.buttons = step > 1 ? [QuickInputButtons.Back] : [];
  pick.value = value;
  question.fill(list);
  return new Promise((resolve) => {
    let answer: DialogAnswer<T> = { kind: "cancel" };
    let isOpen = true;
    pick.onDidChangeValue(() => question.fill(list));
    pick.onDidTriggerButton(() => {
      answer = { kind: "back" };
      pick.hide();
    });
    pick.onDidAccept(() => {
      const accepted = question.accept(pick.selectedItems[0], list);
      if (accepted === undefined) return;
      answer = { kind: "value", value: accepted };
      pick.hide();
    });
    pick.onDidHide(() => {
      isOpen = false;
      list.dispose();
      resolve(answer);
    });
    question.follow?.(() => {
      if (!isOpen) return;
      const [active] = pick.activeItems;
      question.fill(list);
      list.setActive(({ label }) => label === active?.label);
    });
    pick.show();
  });
}

export interface RowQuestion<Row extends PickRow> extends Step {
  readonly title: string;
  readonly placeholder: string;
  /** The rows for what has been typed. */
  readonly rows: (text: string) => readonly Row[];
  /** Rows are asked for once more when it settles; until then the list shows that it is at work. */
  readonly more?: Promise<unknown>;
}

/** Asks for one of several rows. */
export function askRow<Row extends PickRow>({ rows, more, ...question }: RowQuestion<Row>): Promise<DialogAnswer<Row>> {
  let isBusy = more !== undefined;
  return askList<Row, Row>({
    ...question,
    fill: ({ pick, setRows }) => {
      pick.busy = isBusy;
      setRows(rows(pick.value));
    },
    follow: (again) => {
      void more?.then(() => {
        isBusy = false;
        again();
      });
    },
    // Enter may come before the row for what was typed is on the screen.
    accept: (row, { pick }) => row ?? rows(pick.value).find(({ alwaysShow }) => alwaysShow === true),
  });
}
