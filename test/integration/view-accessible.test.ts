import type { AxeResults, RunOptions } from "axe-core";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInChromium } from "../support/chromium.js";
import { contrast, type Rgba } from "../support/contrast.js";
import { viewPages } from "../support/view-harness/pages.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Of all views, also beside other load. */
const PATIENCE_MS = 600_000;
/** A folder for pictures of everything that is looked at, for the eye. */
const PICTURES = process.env["VIEW_PICTURES"];

const ALL_RULES: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  rules: { "label-content-name-mismatch": { enabled: true } },
  resultTypes: ["violations", "incomplete"],
};
/** What lies behind everything. */
const EDITOR = "var(--vscode-editor-background)";
/** The only one whose outcome a theme decides. */
const CONTRAST: RunOptions = { ...ALL_RULES, runOnly: ["color-contrast"], rules: {} };

/**
 * Every view in every theme, as axe-core sees it: contrast, names, roles, headings, keyboard access. The rules are
 * those of WCAG 2.2 AA and axe's best practices.
 */
await describeInChromium("the views for assistive technology", (executablePath) => {
  const pages = viewPages(executablePath);

  /** Any CSS colours as the page paints them. */
  const painted = (page: Page, colors: readonly string[]): Promise<Rgba[]> =>
    page.evaluate((texts) => {
      const probe = document.body.appendChild(document.createElement("span"));
      const context = document.createElement("canvas").getContext("2d");
      const found = texts.map((text): Rgba => {
        if (context === null) return [0, 0, 0, 0];
        probe.style.color = text;
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = getComputedStyle(probe).color;
        context.fillRect(0, 0, 1, 1);
        const [r = 0, g = 0, b = 0, a = 0] = context.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
      });
      probe.remove();
      return found;
    }, colors);

  /** Text whose contrast axe leaves open, measured: its colour on the backgrounds of all that it lies in. */
  async function faint(page: Page, targets: readonly string[]): Promise<readonly string[]> {
    const texts = await page.evaluate(
      (selectors) =>
        selectors.flatMap((selector) => {
          const element = document.querySelector(selector);
          if (element === null) return [];
          const own = getComputedStyle(element);
          const behind: string[] = [];
          for (let at: Element | null = element; at !== null; at = at.parentElement)
            behind.push(getComputedStyle(at).backgroundColor);
          const size = parseFloat(own.fontSize);
          const isLarge = size >= 24 || (size >= 18.66 && Number(own.fontWeight) >= 700);
          // Text of SVG is painted by its fill.
          const color = element instanceof SVGElement && own.fill !== "none" ? own.fill : own.color;
          return [{ text: element.outerHTML.slice(0, 160), color, behind, least: isLarge ? 3 : 4.5 }];
        }),
      targets,
    );
    // Hundreds of texts share a few colours.
    const colors = [...new Set(texts.flatMap(({ color, behind }) => [color, ...behind])), EDITOR];
    const paints = new Map((await painted(page, colors)).map((paint, i) => [colors[i]!, paint]));
    return texts.flatMap(({ text, color, behind, least }) => {
      const [front, ...backs] = [color, ...behind, EDITOR].map((name) => paints.get(name)!);
      const ratio = contrast(front!, backs);
      return ratio < least ? [`contrast ${ratio.toFixed(2)}: ${text}`] : [];
    });
  }

  /** What axe finds, a line a rule with the first places of it. */
  async function violations(page: Page, within: string, options = ALL_RULES): Promise<readonly string[]> {
    const { violations: found, incomplete } = await page.evaluate(
      async ({ source, options, within }) => {
        if (!("axe" in window)) (0, eval)(source);
        const { axe } = window as unknown as {
          axe: { run(within: string, options: RunOptions): Promise<AxeResults> };
        };
        return axe.run(within, options);
      },
      { source: AXE, options, within },
    );
    const open = incomplete.filter(({ id }) => id === "color-contrast").flatMap(({ nodes }) => nodes);
    const left = await faint(
      page,
      open.flatMap(({ target }) => target.map(String)),
    );
    const lines = found.map(
      ({ id, help, nodes }) =>
        `${id} (${help}), ${nodes.length} ×: ${nodes
          .slice(0, 3)
          .map(({ html, any, all, none }) =>
            [html.slice(0, 160), [...any, ...all, ...none][0]?.message.slice(0, 200) ?? ""].join(" ← "),
          )
          .join(" | ")}`,
    );
    return [...lines, ...left];
  }

  /**
   * Views of a page and how to get to each, in their order. Of a popover what it covers by half is not looked at, and
   * nothing of a step that only leads on.
   */
  type Walk = readonly (readonly [name: string, go: (page: Page) => Promise<unknown>, within?: string])[];
  const NOTHING = "";

  const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
  const row = (page: Page) =>
    page.locator(".data-table .grid-body, .differences .grid-body [role=gridcell]").first().waitFor();
  /** What a closed fold hides is not looked at. */
  const UNFOLDED: Walk = [
    [
      "all folds open",
      async (page) => {
        await page.evaluate(() => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
        await page.locator("details[open]").first().waitFor();
      },
    ],
  ];
  const OVERLAY = ".popover-panel, .menu";
  const popover = (name: string, button: string, shown: (page: Page) => Locator): Walk[number] => [
    name,
    async (page) => {
      await page.getByRole("button", { name: button }).first().click();
      await shown(page).first().waitFor();
    },
    OVERLAY,
  ];
  const closed: Walk[number] = ["what was open is closed", (page) => page.keyboard.press("Escape"), NOTHING];
  const EXPLORE: Walk[number] = [
    "charts",
    (page) => tab(page, "Explore").then(() => page.locator(".chart-canvas canvas").nth(5).waitFor()),
  ];
  const MENUS: Walk = [
    EXPLORE,
    popover("a chart's menu", "Actions for", (page) => page.getByRole("menuitem")),
    closed,
    popover("a choice of series", "Choose series of", (page) => page.locator(".popover")),
    closed,
    popover("what can be charted", "Add Chart", (page) => page.getByRole("option")),
  ];
  const RUN: Walk = [
    ["overview", (page) => page.locator(".chart-canvas canvas").nth(4).waitFor()],
    EXPLORE,
    ["statistics", (page) => tab(page, "Statistics").then(() => row(page))],
    ["timeslices", (page) => tab(page, "Timeslices").then(() => row(page))],
    ["details", (page) => tab(page, "Details").then(() => page.getByRole("tree").first().waitFor())],
    [
      "panels, as heatmaps",
      async (page) => {
        await tab(page, "Servers");
        await page.locator(".panel").first().waitFor();
        await page.getByRole("checkbox", { name: "Latencies and lengths as heatmaps" }).check();
        await page.locator(".panel-heat canvas").first().waitFor();
      },
    ],
    [
      "endpoints over time",
      async (page) => {
        await page.getByText("Over time").first().click();
        await page.locator(".course-strip").first().waitFor();
      },
    ],
    [
      "one endpoint",
      async (page) => {
        await page.locator(".instance-grid .link").first().click();
        await page.getByRole("combobox", { name: "Endpoints shown" }).filter({ hasText: "prefill" }).waitFor();
      },
    ],
  ];
  const card = (page: Page, text: string) => page.locator(".chart-card").filter({ hasText: text });
  const mode = (page: Page, text: string, name: string) =>
    card(page, text).getByRole("radio", { name, exact: true }).click();
  const MODES: Walk = [
    [
      "other kinds of charts",
      async (page) => {
        // Before the page listens, what is to be shown in a chart is lost.
        await tab(page, "Explore");
        for (const family of ["http_requests", "vllm:spec_decode_num_accepted_tokens_per_pos"])
          await page.evaluate((name) => window.harness.showInChart({ family: name }), family);
        await mode(page, "Time To First Token", "Heatmap");
        await mode(page, "Inter Token Latency", "Distribution");
        await mode(page, "Generation Tokens", "Shares");
        await mode(page, "HTTP Requests", "Top");
        await mode(page, "Accepted Tokens", "Positions");
        for (const place of [".heatmap canvas", ".bars", ".bar-table", ".position-bar"])
          await page.locator(place).first().waitFor();
        // The bar that stays in sight covers what scrolls beneath it: not half of a button.
        await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
      },
    ],
    [
      "the search",
      async (page) => {
        // The bar that stays in sight covers what scrolls beneath it: not half of a handle.
        await page.locator(".window-strip").evaluate((strip) => strip.scrollIntoView({ block: "end" }));
        await page.keyboard.press("Control+f");
        await page.getByRole("combobox", { name: "Search metrics, labels and descriptions" }).fill("cache");
        await page.getByRole("option").first().waitFor();
      },
      OVERLAY,
    ],
  ];
  const CLIENT: Walk = [
    ["client minus server", (page) => page.getByRole("table", { name: "Client minus server" }).waitFor()],
    [
      "what moves with a metric",
      async (page) => {
        await tab(page, "Explore");
        await page.getByRole("button", { name: "Actions for VLLM | Num Requests Running" }).click();
        await page.getByRole("menuitem", { name: "What Moves with This?" }).click();
        await page.getByRole("table", { name: /^What moves with/ }).waitFor();
      },
    ],
  ];
  const COMPARISON: Walk = [
    ["differences", row],
    [
      "differences with details",
      async (page) => {
        await page.locator(".grid-row .grid-cell.numeric").nth(12).click();
        await page.getByText("rests on").first().waitFor();
      },
    ],
    [
      "compared charts",
      (page) => tab(page, "Charts").then(() => page.locator(".chart-canvas canvas").nth(1).waitFor()),
    ],
    [
      "compared heatmaps",
      async (page) => {
        await page.getByRole("radio", { name: "Heatmaps" }).first().click();
        await page.locator(".heatmap canvas").first().waitFor();
      },
    ],
    ["matching", (page) => tab(page, "Matching").then(() => page.getByRole("table").first().waitFor())],
  ];
  const totals = (page: Page) => page.locator("details.totals");
  const ELSEWHERE: Walk = [
    ["legend of events", (page) => page.locator(".chart-card .event-legend").first().waitFor()],
    [
      "instances behind totals",
      async (page) => {
        await totals(page).locator("summary").click();
        await totals(page).getByRole("option").first().waitFor();
      },
    ],
    [
      "an instance that is looked for",
      async (page) => {
        await totals(page).getByRole("combobox", { name: "Search instances" }).fill("gpu-217");
        await totals(page).getByRole("option", { name: "gpu-217.example:8000" }).waitFor();
      },
    ],
    [
      "an instance that is not there",
      async (page) => {
        await totals(page).getByRole("combobox", { name: "Search instances" }).fill("nothing");
        await totals(page).getByText("Nothing matches").waitFor();
      },
    ],
  ];
  const JUMP: Walk = [
    [
      "a chart that a finding leads to",
      async (page) => {
        await page.getByRole("button", { name: "The KV cache is the limit." }).click();
        await page.locator(".chart-card.target canvas").waitFor();
      },
    ],
  ];
  const PLOT = ".plot-figure";
  const VIEWS: readonly { readonly path: string; readonly walk: Walk }[] = [
    { path: "?still", walk: RUN },
    { path: "?still&scenario=saved", walk: [...RUN.slice(0, 1), ...MENUS] },
    { path: "?still&endpoints=50", walk: RUN.slice(0, 1) },
    { path: "?still&changes", walk: JUMP },
    { path: "?still&scenario=client", walk: [...RUN.slice(0, 1), ...UNFOLDED] },
    { path: "?still&scenario=warmup", walk: RUN.slice(0, 1) },
    { path: "?still&scenario=saved&totals&events", walk: ELSEWHERE },
    { path: "?still&scenario=large", walk: RUN.slice(0, 2) },
    { path: "?still&scenario=client&modes", walk: MODES },
    {
      path: "?still&scenario=broken",
      walk: [["charts that failed", (page) => page.getByRole("button", { name: "Retry" }).first().waitFor()]],
    },
    {
      path: "?still&scenario=gone",
      walk: [["a run that is gone", (page) => page.getByText("ended when the window").first().waitFor()]],
    },
    { path: "?still&scenario=client", walk: CLIENT },
    {
      path: "library?experiment",
      walk: [
        ["runs", (page) => page.getByRole("grid", { name: "Runs" }).getByRole("gridcell").first().waitFor(), NOTHING],
        [
          "runs that are chosen",
          async (page) => {
            await page.getByRole("checkbox", { name: "Select run-040" }).check();
            await page.getByRole("button", { name: "Compare with…" }).waitFor();
          },
        ],
        [
          "a plot of the runs",
          async (page) => {
            await page.getByRole("button", { name: "Plot", exact: true }).click();
            await page.locator(".plot-point").first().waitFor();
          },
          PLOT,
        ],
        [
          "a sweep of the runs",
          async (page) => {
            await page.getByRole("radio", { name: "Throughput against latency" }).click();
            await page.locator(".plot-line").first().waitFor({ state: "attached" });
          },
          PLOT,
        ],
        [
          "parallel coordinates of the runs",
          async (page) => {
            await page.getByRole("radio", { name: "Parallel coordinates" }).click();
            await page.locator(".parallel-line").first().waitFor({ state: "attached" });
          },
          PLOT,
        ],
        [
          "the history of the runs",
          async (page) => {
            await page.getByRole("radio", { name: "History" }).click();
            await page.locator(".history-point").first().waitFor();
          },
          PLOT,
        ],
      ],
    },
    {
      path: "experiment?",
      walk: [["a decided experiment", (page) => page.getByRole("table").first().waitFor()]],
    },
    {
      path: "experiment?scenario=search",
      walk: [["a search", (page) => page.getByText("the dashed line is the limit").waitFor()]],
    },
    {
      path: "experiment?scenario=running",
      walk: [["an experiment under way", (page) => page.getByRole("table").first().waitFor()]],
    },
    { path: "?still&scenario=snapshot", walk: [["one scrape", row]] },
    {
      path: "?still&scenario=empty",
      walk: [["nothing captured", (page) => page.getByText("answers with application/json").waitFor()]],
    },
    { path: "comparison?scenario=two", walk: COMPARISON },
    {
      path: "comparison?scenario=five",
      walk: [
        ["differences of five runs", row, NOTHING],
        popover("what can be exported", "Export", (page) => page.getByRole("button", { name: "Copy as Markdown" })),
        closed,
        ...UNFOLDED,
      ],
    },
    {
      path: "comparison?scenario=engines",
      walk: [
        ...COMPARISON.slice(0, 1),
        [
          "charts of two engines",
          (page) => tab(page, "Charts").then(() => page.locator(".compared-card").first().waitFor()),
        ],
        popover("rows that can be charted", "Add Chart", (page) => page.getByRole("option")),
      ],
    },
    {
      path: "comparison?scenario=same",
      walk: [["nothing differs", (page) => page.getByRole("tab", { name: "Matching" }).waitFor()]],
    },
    {
      path: "comparison?scenario=reading",
      walk: [["runs that are being read", (page) => page.getByRole("progressbar").first().waitFor()]],
    },
    {
      path: "comparison?scenario=failed",
      walk: [["a run that cannot be read", (page) => page.getByRole("alert").first().waitFor()]],
    },
    {
      path: "comparison?scenario=incomparable",
      walk: [["runs without anything in common", (page) => page.getByRole("main").waitFor()]],
    },
  ];

  it(
    "have no violation",
    async () => {
      const found: string[] = [];
      for (const view of VIEWS) {
        const { page } = await pages.open(view.path);
        for (const [name, go, within = "html"] of view.walk) {
          await go(page);
          if (within === NOTHING) continue;
          for (const theme of ["light", "hc", "dark"] as const) {
            await page.evaluate((name) => window.setTheme(name), theme);
            const lines = await violations(page, within, theme === "dark" ? ALL_RULES : CONTRAST);
            found.push(...lines.map((line) => `${theme} ${view.path} ${name}: ${line}`));
            if (PICTURES !== undefined)
              await page.screenshot({
                path: path.join(PICTURES, `${theme} ${view.path.replace(/\W+/g, "-")} ${name}.png`),
              });
          }
        }
        await page.close();
      }
      expect(found).toEqual([]);
    },
    PATIENCE_MS,
  );

  it("a button under the pointer can be read in the light theme of high contrast", async () => {
    const { page } = await pages.open("comparison?still&scenario=two&theme=hc-light");
    await page.getByRole("button", { name: "Export the comparison" }).hover();
    await expect.poll(() => violations(page, ".comparison-header")).toEqual([]);
  });
});
