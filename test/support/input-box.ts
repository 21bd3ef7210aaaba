/** An input box of the workbench in which `typed` is entered as soon as it is shown; undefined: it is declined. */
export function inputBox(typed: () => string | undefined) {
  const listeners: Record<"accept" | "hide", () => void> = { accept: () => undefined, hide: () => undefined };
  const box = {
    title: "",
    password: false,
    value: "",
    onDidChangeValue: () => undefined,
    onDidTriggerButton: () => undefined,
    onDidAccept: (listener: () => void) => void (listeners.accept = listener),
    onDidHide: (listener: () => void) => void (listeners.hide = listener),
    show: () => {
      box.value = typed() ?? "";
      if (typed() === undefined) box.hide();
      else listeners.accept();
    },
    hide: () => listeners.hide(),
    dispose: () => undefined,
  };
  return box;
}
