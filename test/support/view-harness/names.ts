import type { Page } from "playwright-core";

/** What of a table's names is seen. */
export const namesShown = (page: Page): Promise<string> =>
  page
    .locator(".data-table .grid-body .short")
    .evaluateAll((all) => all.map((one) => one.getAttribute("data-short") ?? one.textContent).join("\n"));

/** Rows that read alike; names with a blank beside their ellipsis; names that are cut, or leave much of their place. */
export const namesAmiss = (page: Page): Promise<string[]> =>
  page.locator(".data-table .grid-body .grid-row").evaluateAll((rows) => {
    const widthIn = (place: Element, text: string): number => {
      const drawn = place.appendChild(document.createElement("span"));
      drawn.style.cssText = "position: absolute";
      drawn.textContent = text;
      const { width } = drawn.getBoundingClientRect();
      drawn.remove();
      return width;
    };
    const first = new Map<string, Element>();
    return rows.flatMap((row) => {
      const names = [...row.querySelectorAll<HTMLElement>(".grid-cell > .short")];
      const said = names.map((name) => name.dataset["short"] ?? name.textContent).join(" | ");
      const amiss = names.flatMap((name) => {
        const { short } = name.dataset;
        if (short === undefined) return [];
        const left = name.getBoundingClientRect().width - widthIn(name, short);
        return /\s…|…\s/.test(short) || left < -1 || left > 30 ? [`${short} leaves ${left} pixels`] : [];
      });
      if (names.length > 0 && first.has(said)) amiss.push(`two rows read ${said}`);
      first.set(said, row);
      return amiss;
    });
  });
