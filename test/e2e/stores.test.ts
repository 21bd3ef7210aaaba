import { mkdtemp, readdir } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { healthy, respond, serve, type TestServer } from "../support/faulty-server.js";
import { missingPrograms, startPrometheus, type RunningStore } from "../support/stores.js";
import {
  answer,
  notification,
  openWorkbench,
  pick,
  pressInNotification,
  runCommand,
  screenshot,
  until,
  waitForPrompt,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

const missing = await missingPrograms("prometheus");
const SELECTOR = '{job="vllm"}';
const COMMAND = "Server Metrics: Open Run from Prometheus…";
const SCRAPES = 10;

/** Passes questions on to a store; those for samples wait while it is held, and have none while it is empty. */
class Gate {
  held = false;
  isEmpty = false;
  private readonly waiting: ServerResponse[] = [];
  private server: TestServer | undefined;

  async open(store: RunningStore): Promise<string> {
    this.server = await serve((request, response) => {
      const question = decodeURIComponent(request.url ?? "");
      const isForSamples = /query=\{.*\}\[\d+ms\]/.test(question.replaceAll("+", " "));
      if (this.isEmpty && (isForSamples || question.includes("/query_range"))) {
        const data = { resultType: "matrix", result: [] };
        respond(response, 200, "application/json", JSON.stringify({ status: "success", data }));
        return;
      }
      if (this.held && isForSamples) {
        this.waiting.push(response);
        return;
      }
      void fetch(store.url + (request.url ?? "")).then(async (answered) => {
        respond(response, answered.status, "application/json", Buffer.from(await answered.arrayBuffer()));
      });
    });
    return this.server.origin;
  }

  /** Questions that wait for an answer and have not been given up. */
  get unanswered(): number {
    return this.waiting.filter((response) => !response.destroyed).length;
  }

  get asked(): number {
    return this.waiting.length;
  }

  close(): Promise<void> | undefined {
    return this.server?.close();
  }
}

describe.skipIf(missing.length > 0)("Open Run from Prometheus… in the workbench", () => {
  const gate = new Gate();
  let folder: string;
  let workbench: Workbench;
  let metrics: TestServer;
  let pair: readonly TestServer[] = [];
  let store: RunningStore;
  let address: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-stores-"));
    metrics = await serve(healthy());
    pair = [await serve(healthy()), await serve(healthy())];
    store = await startPrometheus({
      scrape: { vllm: [`127.0.0.1:${metrics.port}`], pair: pair.map(({ port }) => `127.0.0.1:${port}`) },
      intervalMs: 200,
    });
    address = await gate.open(store);
    workbench = await openWorkbench({ folder, container: "Server Metrics" });
    await until(
      async () => {
        const data = await store.api("/query", { query: `count_over_time(up${SELECTOR}[5m])` });
        const [series] = (data as { result: { value: [number, string] }[] }).result;
        return Number(series?.value[1] ?? 0) >= SCRAPES;
      },
      () => "Prometheus has not scraped",
    );
  });
  tidied(() => ({ workbench, folder }));
  afterAll(async () => {
    await gate.close();
    await store.close();
    await Promise.all([metrics, ...pair].map((server) => server.close()));
  });

  const runs = () => readdir(path.join(folder, "artifacts", "server-metrics")).catch(() => []);

  const typeSelector = async (selector = SELECTOR) => {
    const prompt = await waitForPrompt(workbench.page, /Selector/);
    await prompt.locator("input.input").fill(selector);
    await pick(workbench.page, /Selector/, `Read ${selector}`);
  };

  it("completes a selector from the store's labels, shows what it found, and opens the run", async () => {
    const { page } = workbench;
    await runCommand(page, COMMAND);
    await answer(page, /Prometheus, Thanos, Mimir/, address);
    // Each row completes what is typed, from what the store knows.
    await pick(page, /Selector/, "By label");
    await pick(page, /Selector/, /^job/);
    await pick(page, /Selector/, /^vllm/);
    await pick(page, /Selector/, `Read ${SELECTOR}`);
    await pick(page, /Choose the time/, "Last 15 minutes");
    const found = await waitForPrompt(page, /Prometheus: Found/);
    await found.getByText(/^1 instance, 2 families, \d+ series, about \d+ samples/).waitFor();
    await found.getByText(`127.0.0.1:${metrics.port}`).first().waitFor();
    await found.getByText("vllm:num_requests_running").first().waitFor();
    await screenshot(page, "prometheus-found");
    await page.keyboard.press("Enter");
    const view = await webview(page, ".run-view");
    await view.getByText("Requests running", { exact: false }).first().waitFor();
    await screenshot(page, "prometheus-run");
    await until(
      async () => (await runs()).length === 1,
      () => "the run has not been written",
    );
  });

  it("offers the parts of the run that is open as times, and a calendar with start and end", async () => {
    const { page } = workbench;
    await runCommand(page, COMMAND);
    await pick(page, /Choose a store/, address);
    await typeSelector();
    const times = await waitForPrompt(page, /Choose the time/);
    await times.getByText(/Profiling of /).waitFor();
    await screenshot(page, "prometheus-times");
    await pick(page, /Choose the time/, "Choose a day…");
    const days = await waitForPrompt(page, /Choose a day, or type a date/);
    await days.getByText(/Yesterday, \w+day \d+ \w+ \d{4}$/).waitFor();
    // What the store says of its days arrives while they are shown.
    await days
      .getByText(/, no data$/)
      .first()
      .waitFor();
    await screenshot(page, "prometheus-days");
    await answer(page, /Choose a day, or type a date/, "2001-02-03");
    await answer(page, /start, Saturday 3 February 2001/, "10:0");
    const start = await waitForPrompt(page, /Type a time such as 10:00/);
    await screenshot(page, "prometheus-start");
    await start.locator("input.input").fill("10:00");
    await waitForPrompt(page, /Start, such as .* Times are UTC/);
    await page.keyboard.press("Enter");
    await answer(page, /end, Saturday 3 February 2001/, "09:59");
    await waitForPrompt(page, /The end must be later than the start, 2001-02-03 10:00:00\..*2001-02-04/);
    await answer(page, /The end must be later/, "+5m");
    await notification(page, /has no series of .* between 2001-02-03 10:00:00 and 2001-02-03 10:05:00/).waitFor();
    expect(await runs()).toHaveLength(1);
  });

  it("goes back from each question to the one before by the keyboard, and gives up at Escape", async () => {
    const { page } = workbench;
    const back = () => page.keyboard.press("Control+Alt+Minus");
    const chooseToday = async () => {
      await pick(page, /Choose the time/, "Choose a day");
      // Enter takes the first day, which is today: there is none before the list is drawn.
      const days = await waitForPrompt(page, /Choose a day, or type a date/);
      await days.locator(".monaco-list-row.focused", { hasText: "Today, " }).waitFor();
      await answer(page, /Choose a day, or type a date/);
    };
    await runCommand(page, COMMAND);
    await pick(page, /Choose a store/, address);
    await typeSelector();
    await chooseToday();
    await answer(page, /start, Today/, "00:00");
    await answer(page, /end, Today/, "24:00");
    await (await waitForPrompt(page, /Prometheus: Found/)).getByText(/^1 instance, 2 families/).waitFor();
    await back();
    await chooseToday();
    await answer(page, /start, Today/, "00:00");
    await waitForPrompt(page, /end, Today/);
    for (const before of [/start, Today/, /Choose a day, or type a date/, /Choose the time/]) {
      await back();
      await waitForPrompt(page, before);
    }
    await back();
    expect(await (await waitForPrompt(page, /Selector/)).locator("input.input").inputValue()).toBe(SELECTOR);
    await back();
    await waitForPrompt(page, /Choose a store/);
    await page.keyboard.press("Escape");
    await page.locator(".quick-input-widget:visible").waitFor({ state: "detached" });
    expect(await runs()).toHaveLength(1);
  });

  it("reads totals over instances, lists them in the view, and opens one beside the totals", async () => {
    const { page } = workbench;
    const instance = `127.0.0.1:${pair[0]?.port}`;
    await runCommand(page, COMMAND);
    await pick(page, /Choose a store/, address);
    await typeSelector('{job="pair"}');
    await pick(page, /Choose the time/, "Last 15 minutes");
    await pick(page, /Prometheus: Found/, "Read totals over 2 instances");
    const totals = await webview(page, ".totals");
    await totals.locator(".totals > summary", { hasText: "Totals over 2 instances" }).click();
    await screenshot(page, "prometheus-totals");
    await totals.getByRole("option", { name: instance }).click();
    await page.getByRole("tab", { name: `Server Metrics: ${instance}` }).waitFor();
    const alone = await webview(page, ".run-view:not(:has(.totals))");
    await alone.getByText("Requests running", { exact: false }).first().waitFor();
    await screenshot(page, "prometheus-instance");
    // The totals stay where they were, and each run is written.
    await page.locator(".tab", { hasText: /^Server Metrics$/ }).waitFor();
    await until(
      async () => (await runs()).length === 3,
      () => "the runs have not been written",
    );
  });

  it("says where series have no sample in the time", async () => {
    const { page } = workbench;
    gate.isEmpty = true;
    await runCommand(page, COMMAND);
    await pick(page, /Choose a store/, address);
    await typeSelector();
    await pick(page, /Choose the time/, "Last 15 minutes");
    await pick(page, /Prometheus: Found/, "Read this run");
    const said = notification(
      page,
      `holds no sample of ${SELECTOR} in this time range. Choose another time range or selector.`,
    );
    await said.waitFor();
    await screenshot(page, "prometheus-no-samples");
    await notification(page, "Reading a run from Prometheus").waitFor({ state: "detached" });
    gate.isEmpty = false;
    expect(await runs()).toHaveLength(3);
  });

  it("gives up what it reads when it is cancelled", async () => {
    const { page } = workbench;
    await runCommand(page, COMMAND);
    await pick(page, /Choose a store/, address);
    await typeSelector();
    await pick(page, /Choose the time/, "Last 15 minutes");
    const found = await waitForPrompt(page, /Prometheus: Found/);
    // Enter takes the row that is chosen: there is none before the list is drawn.
    await found.locator(".monaco-list-row.focused", { hasText: "Read this run" }).waitFor();
    gate.held = true;
    await page.keyboard.press("Enter");
    await notification(page, "Reading a run from Prometheus").waitFor();
    await until(
      () => Promise.resolve(gate.asked > 0),
      () => "nothing is read",
    );
    await pressInNotification(page, "Reading a run from Prometheus", "Cancel");
    await until(
      () => Promise.resolve(gate.unanswered === 0),
      () => "the questions have not been given up",
    );
    await notification(page, "Reading a run from Prometheus").waitFor({ state: "detached" });
    expect(await runs()).toHaveLength(3);
  });
});

it.runIf(missing.length > 0)(`is not tested: ${missing.join(", ")} is not installed`, () => undefined);
