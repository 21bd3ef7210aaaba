import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { exportArtifacts } from "../../src/files/index.js";
import { describeInChromium } from "../support/chromium.js";
import { runCli } from "../support/cli.js";
import { aiperfRecords, simulatedRequests } from "../support/client-run.js";
import { largeRun } from "../support/large-run.js";
import { axeViolations, reportPages } from "../support/opened-report.js";
import { makeRun } from "../support/view-harness/compared-runs.js";

const HOSTILE = '</script><img src=x onerror="document.title=1">\u2028{{7*7}}';
const PATIENCE_MS = 300_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-report-"));
  const run = makeRun({ label: "night shift", seed: 3, latency: 1.28, model: HOSTILE, config: { note: HOSTILE } });
  await exportArtifacts(run, { directory: folder, formats: ["json", "jsonl"], verify: false }, {});
  const faster = makeRun({ label: "day shift", seed: 4, latency: 0.8, later: 1800 });
  await exportArtifacts(faster, { directory: join(folder, "day"), formats: ["jsonl"], verify: false }, {});
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const artifact = (format: string) => join(folder, `server_metrics_export.${format}`);

const reports = new Map<string, Promise<string>>();

/** The path of a report, which is written for the first test that opens it. */
function reported(of: string, name: string, ...options: readonly string[]): Promise<string> {
  const report = reports.get(name) ?? written(of, join(folder, name), options);
  reports.set(name, report);
  return report;
}

async function written(of: string, out: string, options: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(["report", of, "--out", out, ...options]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout.trim()).toBe(out);
  return out;
}

const reportOfRun = () => reported(artifact("jsonl"), "run.html");

it("lists what a report would reveal, and writes nothing when only asked", async () => {
  const out = join(folder, "none.html");
  const { code, stderr } = await runCli(["report", artifact("json"), "--dry-run", "--out", out]);
  expect(code).toBe(0);
  expect(stderr).toContain("hosts: 10.0.0.11");
  expect(stderr).toContain(artifact("json"));
  expect(stderr).toContain("name=night shift");
  await expect(stat(out)).rejects.toThrow("ENOENT");
});

it("is Markdown too: of a run, of a comparison and of a folder, with its raw files and without what is hidden", async () => {
  const day = join(folder, "day", "server_metrics_export.jsonl");
  const hash = createHash("sha256")
    .update(await readFile(day))
    .digest("hex");
  const markdown = async (...args: readonly string[]) => {
    const { code, stdout } = await runCli(["report", ...args, "--markdown"]);
    expect(code).toBe(0);
    return stdout;
  };
  const run = await markdown(day);
  const { stdout } = await runCli(["insights", day, "--json"]);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly { readonly title: string }[] };
  for (const { title } of findings) expect(run).toContain(`### ${title}`);
  expect(run).toContain("# day shift\n");
  expect(run).toContain("## Key figures");
  expect(run).toMatch(new RegExp(`jsonl \\| \\d+ \\| ${hash} \\|`));

  const both = await markdown(artifact("jsonl"), day);
  const compared = await runCli(["compare", artifact("jsonl"), day, "--markdown"]);
  expect(both).toContain(compared.stdout.trim());
  expect(await markdown(folder)).toMatch(/^## Runs of .*\n\n\| /);

  const hidden = await markdown(artifact("jsonl"), "--redact", "hosts,paths,labels");
  for (const secret of ["10.0.0.11", "night shift", "onerror"]) expect(hidden).not.toContain(secret);
  expect(hidden).toContain("Hidden: hosts, paths, labels");

  const out = join(folder, "run.md");
  expect((await runCli(["report", day, "--markdown", "--out", out])).stdout.trim()).toBe(out);
  expect((await readFile(out, "utf8")).slice(0, 11)).toBe("# day shift");
}, 120_000);

await describeInChromium("the report of a run", (executablePath) => {
  const pages = reportPages(executablePath);

  it(
    "is one file that asks nobody, with the run's figures, its hash, and hostile labels as text",
    async () => {
      const out = await reportOfRun();
      expect((await stat(out)).size).toBeLessThan(2_000_000);
      const html = await readFile(out, "utf8");
      expect(html).not.toContain("onerror");
      const { page, requests, complaints } = await pages.open(out);
      await page.locator(".chart-canvas canvas").nth(4).waitFor();

      // The figures of the command line, by its own reading of the file.
      const { stdout } = await runCli([
        "show",
        artifact("jsonl"),
        "--json",
        "--family",
        "vllm:e2e_request_latency_seconds",
      ]);
      const family = (
        JSON.parse(stdout) as {
          metrics: Record<string, { series: { labels: Record<string, string>; stats: Record<string, number> }[] }>;
        }
      ).metrics["vllm:e2e_request_latency_seconds"];
      await page.getByRole("tab", { name: "Statistics", exact: true }).click();
      const rows = page.locator(".data-table .grid-body [role=row]").filter({ hasText: "Request latency" });
      await rows.first().waitFor();
      const shown = (await rows.allInnerTexts()).join("\n");
      expect(family?.series).toHaveLength(2);
      for (const { stats } of family?.series ?? []) expect(shown).toContain(Number(stats["avg"]).toPrecision(3));

      // Text of servers is text.
      await page.getByRole("tab", { name: "Details", exact: true }).click();
      await page.getByText("onerror").first().waitFor();
      expect(await page.locator("img").count()).toBe(0);
      expect(await page.title()).toBe("night shift");

      const hash = createHash("sha256")
        .update(await readFile(artifact("jsonl")))
        .digest("hex");
      expect(await page.locator(".report-about").innerText()).toContain(hash);
      expect(requests).toEqual([]);
      expect(complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    "stays small however large the run is, and says what is left out",
    async () => {
      const directory = join(folder, "large");
      const run = largeRun({ seconds: 300, seed: 5, endpoints: 1, scalars: 3000, histograms: 30, engines: 1 });
      await exportArtifacts(run, { directory, formats: ["parquet"], verify: false }, {});
      const out = join(folder, "large.html");
      const { code, stderr } = await runCli(["report", join(directory, "server_metrics_export.parquet"), "--out", out]);
      expect(code, stderr).toBe(0);
      expect((await stat(out)).size).toBeLessThan(3_000_000);
      const { page } = await pages.open(out);
      const about = page.locator(".report-about");
      await expect
        .poll(() => about.innerText())
        .toMatch(/\d+ of 3,0\d\d metrics, to keep the report small: key metrics/);
      // What is looked at first is there.
      await page.locator('.chart-card[aria-label="Time to first token"]').first().waitFor();
    },
    PATIENCE_MS,
  );

  it(
    "runs and loads nothing but what is in it",
    async () => {
      const { page, complaints } = await pages.open(await reportOfRun());
      await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "document.title = 'injected'";
        document.body.append(script);
        const image = new Image();
        image.src = "http://192.0.2.1/x.png";
        document.body.append(image);
      });
      await expect.poll(() => complaints.length).toBeGreaterThan(1);
      expect(await page.title()).toBe("night shift");
      await expect(page.evaluate(() => fetch("http://192.0.2.1/"))).rejects.toThrow();
    },
    PATIENCE_MS,
  );

  it.each(["light", "dark"] as const)(
    "can be used without sight, in %s",
    async (scheme) => {
      const { page } = await pages.open(await reportOfRun(), scheme);
      await page.locator(".chart-canvas canvas").nth(4).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      for (const tab of ["Servers", "Explore", "Statistics", "Timeslices", "Details"]) {
        await page.getByRole("tab", { name: tab, exact: true }).click();
        await expect.poll(() => page.getByRole("status").filter({ hasText: "Loading" }).count()).toBe(0);
        expect({ tab, found: await axeViolations(page) }).toEqual({ tab, found: [] });
        expect(await page.getByText("could not be").count()).toBe(0);
      }
    },
    PATIENCE_MS,
  );

  it(
    "is light on paper, without what is to be pressed",
    async () => {
      const { page } = await pages.open(await reportOfRun(), "dark");
      await page.locator(".chart-canvas canvas").nth(4).waitFor();
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(await background()).toBe("rgb(31, 31, 31)");
      await page.emulateMedia({ media: "print" });
      expect(await background()).toBe("rgb(255, 255, 255)");
      expect(await page.getByRole("heading", { name: "Time to first token" }).first().isVisible()).toBe(true);
      expect(await page.getByRole("button", { name: "Search" }).isVisible()).toBe(false);
      expect(await page.locator(".report-about").isVisible()).toBe(true);
    },
    PATIENCE_MS,
  );

  it(
    "hides hosts, paths and labels everywhere when asked to",
    async () => {
      const out = await reported(artifact("jsonl"), "hidden.html", "--redact", "hosts,paths,labels");
      const { page } = await pages.open(out);
      const answers = await page.evaluate(
        () => (window as unknown as { serverMetricsReport: string }).serverMetricsReport,
      );
      for (const secret of ["10.0.0.11", folder, "night shift", "onerror"]) expect(answers).not.toContain(secret);
      expect(await page.title()).toBe("name-1");
      expect(await page.locator(".report-about").innerText()).toContain("Hidden: hosts, paths, labels");
      await page.getByText("host-1").first().waitFor();
    },
    PATIENCE_MS,
  );

  it(
    "follows its zoom and its crosshair as the run's view does",
    async () => {
      const { page } = await pages.open(await reportOfRun());
      const canvas = page.locator(".chart-canvas canvas").first();
      await canvas.waitFor();
      const box = await canvas.boundingBox();
      if (box === null) throw new Error("the chart has no place");
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.getByRole("button", { name: "Zoom in" }).click();
      await expect.poll(() => page.getByRole("button", { name: "Reset Zoom" }).isEnabled()).toBe(true);
      expect(await page.getByText("could not be").count()).toBe(0);
    },
    PATIENCE_MS,
  );
});

await describeInChromium("the report of a comparison", (executablePath) => {
  const pages = reportPages(executablePath);

  it(
    "has the verdicts of the command line, charts of its rows, and nothing that asks for the runs",
    async () => {
      const out = join(folder, "comparison.html");
      const runs = [artifact("jsonl"), join(folder, "day", "server_metrics_export.jsonl")];
      const { code } = await runCli(["report", ...runs, "--out", out]);
      expect(code).toBe(0);
      const { stdout } = await runCli(["compare", ...runs, "--json"]);
      const { rows } = JSON.parse(stdout) as {
        readonly rows: readonly { readonly cells: readonly { readonly verdict: string }[] }[];
      };
      const better = rows.filter(({ cells: [first] }) => first?.verdict === "better").length;
      expect(better).toBeGreaterThan(0);

      const { page, requests, complaints } = await pages.open(out, "dark");
      await page.getByRole("grid", { name: "Differences" }).waitFor();
      await page.getByRole("table", { name: "Compared runs" }).getByText(`${better} better`).waitFor();
      expect(await page.getByRole("button", { name: "Add Run…" }).count()).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole("tab", { name: "Charts", exact: true }).click();
      await page.locator(".chart-canvas canvas").nth(1).waitFor();
      await page.getByRole("tab", { name: "Matching", exact: true }).click();
      await page.getByRole("table", { name: "Rules for labels" }).waitFor();
      expect(await page.getByText("could not be").count()).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.locator(".report-about tbody tr").count()).toBe(2);
      expect(requests).toEqual([]);
      expect(complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});

const LOADS = [1, 4, 16, 64];
const CONFIGURATIONS = [
  ["base", 0],
  ['<img src=x onerror="document.title=1">', 0.2],
] as const;

/** A folder of runs with their clients' records: two configurations, of which one is slower, at some loads. */
async function sweptFolder(): Promise<string> {
  const swept = join(folder, "swept");
  if ((await stat(swept).catch(() => undefined)) !== undefined) return swept;
  for (const [configuration, slower] of CONFIGURATIONS)
    for (const [i, concurrency] of LOADS.entries()) {
      const directory = join(swept, configuration, `concurrency_${concurrency}`);
      const alone = 0.3 + slower;
      const waiting = alone * Math.max(0, concurrency / 16 - 1);
      const run = makeRun({ label: HOSTILE, seed: i, later: 600 * i, config: { note: configuration } });
      await exportArtifacts(run, { directory, formats: ["json"], verify: false }, {});
      const every = (alone + waiting) / concurrency;
      const requests = simulatedRequests({ count: 80, every, slower: slower + waiting });
      await writeFile(join(directory, "profile_export.jsonl"), aiperfRecords(requests));
    }
  return swept;
}

/** Rows of a Markdown table, as cells. */
const markdownRows = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\", "").trim()));

await describeInChromium("the report of a sweep", (executablePath) => {
  const pages = reportPages(executablePath);

  it.each(["light", "dark"] as const)(
    "has the points of the command line, in a table that sorts, with hostile names as text, in %s",
    async (scheme) => {
      const swept = await sweptFolder();
      const { page, requests, complaints } = await pages.open(await reported(swept, "sweep.html", "--sweep"), scheme);
      const table = page.getByRole("table", { name: "Points of the sweep" });
      await table.waitFor();
      const cells = async (column: number) => {
        const rows = await table.locator("tbody tr").all();
        return Promise.all(rows.map((row) => row.locator("th, td").nth(column).innerText()));
      };
      const { stdout } = await runCli(["sweep", swept, "--markdown"]);
      const printed = markdownRows(stdout).flat();
      const latencies = await cells(3);
      expect(latencies).toHaveLength(CONFIGURATIONS.length * LOADS.length);
      for (const text of [...latencies, ...(await cells(2))]) expect(printed).toContain(text);

      // By the numbers: 2.06 s is more than 560 ms.
      const head = table.getByRole("button", { name: "Request latency, avg" });
      await head.click();
      await head.click();
      expect(await cells(0)).toEqual([64, 64, 1, 4, 16, 1, 4, 16].map((load) => `concurrency ${load}`));
      expect(new Set((await cells(1)).slice(2, 5))).toEqual(new Set([CONFIGURATIONS[1][0]]));

      expect(await page.locator("img").count()).toBe(0);
      expect(await page.title()).toBe("Throughput against latency: swept");
      await page.locator(".report-about").getByText("base/concurrency_64/server_metrics_export.json").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      expect(requests).toEqual([]);
      expect(complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});

await describeInChromium("the report of a folder of runs", (executablePath) => {
  const pages = reportPages(executablePath);

  it.each(["light", "dark"] as const)(
    "has the rows of the command line, sorts and plots them, with hostile names as text, in %s",
    async (scheme) => {
      const swept = await sweptFolder();
      const { page, requests, complaints } = await pages.open(await reported(swept, "runs.html"), scheme);
      const grid = page.getByRole("grid", { name: "Runs" });
      const rows = grid.locator(".grid-body [role=row]");
      await rows.first().waitFor();
      const { stdout } = await runCli(["runs", swept, "--markdown", "--columns", "run,requests,client.ttft.p99"]);
      const printed = markdownRows(stdout).slice(2);
      expect(printed).toHaveLength(CONFIGURATIONS.length * LOADS.length);
      for (const [, run = "", ...figures] of printed) {
        const row = await grid.locator(`[data-row=${JSON.stringify(`${run}/server_metrics_export`)}]`).innerText();
        for (const figure of figures) expect(row).toContain(figure);
      }
      // Nobody writes anything in a report.
      expect(await grid.getByRole("columnheader", { name: "Tags" }).count()).toBe(0);

      await grid.getByRole("button", { name: "Client TTFT p99" }).click();
      await expect.poll(() => rows.first().innerText()).toContain("1.86 s");
      await grid.getByRole("button", { name: "Client TTFT p99" }).click();
      await expect.poll(() => rows.first().innerText()).toContain("160 ms");
      await page.getByRole("button", { name: "Plot" }).click();
      await page.locator("svg.plot circle").nth(7).waitFor();

      expect(await page.locator("img").count()).toBe(0);
      expect(await page.title()).toBe("Runs of swept");
      expect(await axeViolations(page)).toEqual([]);
      expect(requests).toEqual([]);
      expect(complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    "is whole on paper: every row, all columns in sight, axes with their names",
    async () => {
      const many = join(folder, "many");
      for (let i = 0; i < 60; i++) await cp(join(folder, "day"), join(many, `run-${i}`), { recursive: true });
      const { page } = await pages.open(await reported(many, "many.html"), "dark");
      const grid = page.getByRole("grid", { name: "Runs" });
      const rows = grid.locator(".grid-body [role=row]");
      await rows.first().waitFor();
      expect(await rows.count()).toBeLessThan(60);
      await page.getByRole("button", { name: "Plot" }).click();
      await page.locator("svg.plot circle").first().waitFor();
      await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
      await expect.poll(() => rows.count()).toBe(60);
      await page.emulateMedia({ media: "print" });
      const size = await page.locator(".library-scroller").evaluate(({ clientHeight, scrollHeight }) => ({
        clientHeight,
        scrollHeight,
      }));
      expect(size.clientHeight).toBe(size.scrollHeight);
      expect(await page.locator(".plot-title").allInnerTexts()).toEqual(["Tokens/s", "Time (UTC)"]);
      for (const name of ["Repeats", "Throughput against latency"]) {
        const control = page.getByText(name, { exact: true });
        expect([await control.count(), await control.isVisible()]).toEqual([1, false]);
      }
      await page.emulateMedia({ media: "screen" });
      await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
      await expect.poll(() => rows.count()).toBeLessThan(60);
    },
    PATIENCE_MS,
  );
});
