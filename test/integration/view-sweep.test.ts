import { expect, it } from "vitest";
import { describeInChromium } from "../support/chromium.js";
import { viewPages } from "../support/view-harness/pages.js";

/** Throughput against latency, as a plot of the runs of a folder. */
await describeInChromium("the sweep of a folder's runs", (executablePath) => {
  const pages = viewPages(executablePath);

  it("has a point for each load of the runs that the filter leaves, and opens one by a click and a key", async () => {
    const { page, complaints } = await pages.open("library?theme=dark");
    await page.getByRole("button", { name: "Plot", exact: true }).click();
    await page.getByRole("radio", { name: "Throughput against latency" }).click();
    const points = page.getByRole("table", { name: "Points of the sweep" }).locator("tbody tr");
    // Three settings at four loads.
    await expect.poll(() => points.count()).toBe(12);
    expect(await page.locator(".plot-point").count()).toBe(12);
    await page.getByText("1 run left out").waitFor();
    // The latency that all runs have.
    await page.getByRole("button", { name: "Time to first token, avg" }).waitFor();
    await page.getByRole("radio", { name: "p90" }).click();
    await page.getByText("No run has both a throughput and this latency: Time to first token, p90.").waitFor();
    await page.getByRole("radio", { name: "p99" }).click();
    await page.getByRole("searchbox", { name: "Filter runs" }).fill("scheduler_config.max_num_seqs = 128");
    await expect.poll(() => points.count()).toBe(4);
    const opened = () => page.locator("body").getAttribute("data-opened");
    await page.locator(".plot-point").last().click();
    await expect.poll(opened).toMatch(/^\/runs\/run-\d+\/server_metrics_export\.json$/);
    const last = await opened();
    await page.locator(".plot-point").first().press("Enter");
    await expect.poll(opened).not.toBe(last);
    expect(complaints).toEqual([]);
  });
});
