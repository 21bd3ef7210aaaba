import { signal } from "@preact/signals";

/** Whether the page is being printed: rows that are out of sight are drawn, too, for on paper nothing scrolls. */
export const isPrinted = signal(false);

/** Follows the browser. */
export function followPrinting(): void {
  window.addEventListener("beforeprint", () => (isPrinted.value = true));
  window.addEventListener("afterprint", () => (isPrinted.value = false));
}

/** The body has the class of a theme, as in VS Code: the one that the system asks for. Colours are in report.css. */
export function followColorScheme(): void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    document.body.classList.toggle("vscode-dark", dark.matches);
    document.body.classList.toggle("vscode-light", !dark.matches);
  };
  apply();
  dark.addEventListener("change", apply);
  // The toolkit takes its colours when the page has loaded, which it has before a report is unpacked.
  window.dispatchEvent(new Event("load"));
}
