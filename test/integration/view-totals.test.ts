import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInChromium } from "../support/chromium.js";
import { runPage } from "../support/view-harness/run-page.js";
import type {} from "../support/view-harness/host.js";

/** What a run from elsewhere adds to the view: instances behind its totals, and events of servers beside its charts. */
await describeInChromium("the view of a run from elsewhere", (executablePath) => {
  let page: Page;
  const { open, calls } = runPage(executablePath, (opened) => ({ page } = opened));

  it("lists the instances behind totals, finds one by its name, and opens it by the keyboard", async () => {
    await open("scenario=saved&totals");
    const totals = page.locator("details.totals");
    await totals.getByText("every 15 s, from prometheus.example:9090").waitFor();
    await totals.getByText("Totals over 240 instances").click();
    await totals.getByText("200 of 240 shown").waitFor();
    const search = totals.getByRole("combobox", { name: "Search instances" });
    await search.fill("gpu-217");
    expect(await totals.getByRole("option").allTextContents()).toEqual(["gpu-217.example:8000"]);
    await search.press("Enter");
    await expect.poll(() => calls("openInstance")).toEqual([{ instance: "gpu-217.example:8000" }]);
    await search.fill("nothing");
    await totals.getByText("Nothing matches").waitFor();
  });

  it("says why an instance could not be opened", async () => {
    await open("scenario=saved&totals");
    await page.evaluate(() => window.harness.failing.add("openInstance"));
    await page.locator("details.totals > summary").click();
    await page.locator("details.totals").getByRole("option").first().click();
    await page.locator(".run-header .problem-error").waitFor();
  });

  it("names the events of servers under each chart", async () => {
    await open("scenario=saved&events");
    const legend = page.locator(".chart-card .event-legend").first();
    await legend.waitFor();
    expect(await legend.textContent()).toMatch(/^Server events: 16 requests finished 96 KV-cache events$/);
  });
});
