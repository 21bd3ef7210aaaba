import type { Locator } from "playwright-core";

/**
 * Types texts into a table's filter, one after the other, and waits for what the table then says of its rows.
 * @param wanted each text and what stands above the table once it has been filtered
 * @returns how many rows were drawn anew for each: a table that draws only what is in sight needs few
 */
export function rowsDrawnByFiltering(
  filter: Locator,
  wanted: readonly (readonly [text: string, count: string])[],
): Promise<readonly number[]> {
  return filter.evaluate(async (input, steps) => {
    if (!(input instanceof HTMLInputElement)) throw new Error("not an input");
    const drawn: number[] = [];
    for (const [text, count] of steps) {
      let rows = 0;
      const observer = new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes)
            if (node instanceof Element)
              rows += node.querySelectorAll("[role=row]").length + Number(node.matches("[role=row]"));
      });
      observer.observe(document.body, { childList: true, subtree: true });
      input.value = text;
      input.dispatchEvent(new InputEvent("input", { bubbles: true }));
      while (document.querySelector(".table-count")?.textContent !== count)
        await new Promise((resolve) => requestAnimationFrame(resolve));
      observer.disconnect();
      drawn.push(rows);
    }
    return drawn;
  }, wanted);
}
