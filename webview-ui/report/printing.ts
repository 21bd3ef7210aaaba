import { signal } from "@preact/signals";

/** Whether the page is being printed: rows that are out of sight are drawn, too, for on paper nothing scrolls. */
export const isPrinted = signal(false);

/** Follows the browser. */
export function followPrinting(): void {
  window.addEventListener("beforeprint", () => (isPrinted.value = true));
  window.addEventListener("afterprint", () => (isPrinted.value = false));
}
