import { describe, expect, it } from "vitest";
import { formatElapsed, statusText, statusTooltip } from "../../../src/extension/status-text.js";
import { endpointStatus, runHeader } from "../../support/run-header.js";
import type { EndpointStatus } from "../../../src/protocol/index.js";

const endpoint = endpointStatus("http://gpu-1:8000/metrics", {
  latencyMs: 3.21,
  scrapes: 10,
  servers: ["vLLM"],
  families: 40,
  series: 90,
});
const header = runHeader({
  state: "capturing",
  adjustable: false,
  elapsedSeconds: 42.9,
  scrapes: 126,
  endpoints: [endpoint],
});

describe("the status bar", () => {
  it.each([
    [0, "0:00"],
    [59.99, "0:59"],
    [60, "1:00"],
    [3599, "59:59"],
    [3723, "1:02:03"],
    [-1, "0:00"],
  ])("writes %d s as %s", (seconds, text) => {
    expect(formatElapsed(seconds)).toBe(text);
  });

  it("shows elapsed time, scrapes and endpoints up, and the warm-up while it lasts", () => {
    expect(statusText(header)).toBe("0:42 · 126 scrapes · 1/1 up");
    expect(
      statusText({
        ...header,
        phase: "warmup",
        endpoints: [endpoint, { ...endpoint, state: "failing" }, { ...endpoint, state: "disabled" }],
      }),
    ).toBe("warm-up 0:42 · 126 scrapes · 1/3 up");
    const once = { ...header, scrapes: 1, gaps: 1 };
    expect(statusText(once)).toBe("0:42 · 1 scrape · 1/1 up");
    expect(statusTooltip(once).text).toContain("1 gap\n");
  });

  it("explains in the tooltip what each endpoint does and what to do about it", () => {
    const failing: EndpointStatus = {
      ...endpoint,
      displayName: "gpu-2",
      state: "failing",
      servers: [],
      problems: [{ severity: "warning", reason: "connection refused", remedy: "Start the server." }],
    };
    const { text } = statusTooltip({ ...header, gaps: 3, endpoints: [endpoint, failing] });
    expect(text).toContain("3 gaps");
    expect(text).toContain("$(pass) gpu\\-1\\:8000 \\(vLLM\\): up, 3\\.2 ms");
    expect(text).toContain("$(warning) gpu\\-2: failing");
    expect(text).toContain("Connection refused\\. Start the server\\.");
  });

  it("lets no server's text act as Markdown, an icon or HTML", () => {
    const hostile: EndpointStatus = {
      ...endpoint,
      displayName: "[x](command:y) $(bug) <b>*",
      servers: ["a\n\n# b"],
    };
    const { text } = statusTooltip({ ...header, endpoints: [hostile] });
    expect(text).toContain("\\[x\\]\\(command\\:y\\) \\$ \\(bug\\) \\<b\\>\\* \\(a \\# b\\)");
  });
});
