import { describe, expect, it, vi } from "vitest";
import { layoutOf, linkOf, linkTo, openLinks, queryOf, type RunLink } from "../../../src/extension/editors/run-link.js";

const { handlers, files } = vi.hoisted(() => ({
  handlers: [] as { handleUri: (uri: { path: string; query: string }) => void }[],
  files: new Set<string>(),
}));
const fileUri = (fsPath: string) => ({ fsPath, path: fsPath, scheme: "file" });
vi.mock("vscode", () => ({
  env: { uriScheme: "vscode" },
  Uri: { file: (fsPath: string) => ({ fsPath, path: fsPath, scheme: "file" }) },
  window: { registerUriHandler: (handler: (typeof handlers)[number]) => handlers.push(handler) },
  workspace: {
    workspaceFolders: [{ uri: { fsPath: "/ws" } }],
    getWorkspaceFolder: ({ fsPath }: { fsPath: string }) => (fsPath.startsWith("/ws/") ? {} : undefined),
    asRelativePath: ({ fsPath }: { fsPath: string }) => fsPath.replace("/ws/", ""),
    fs: {
      stat: ({ fsPath }: { fsPath: string }) => (files.has(fsPath) ? Promise.resolve() : Promise.reject(new Error())),
    },
  },
}));

const LINK: RunLink = {
  run: "runs/a & b, 50 %/server_metrics_export.json",
  charts: ["vllm:time_to_first_token_seconds", "a&b=c"],
  zoom: { from: 1.5, to: 20 },
};

describe("a link to a run", () => {
  it("names run, charts and time, and is the same after the workbench has decoded it", () => {
    expect(linkOf(decodeURIComponent(queryOf(LINK)))).toEqual(LINK);
    const { zoom: _, ...whole } = LINK;
    expect(linkOf(decodeURIComponent(queryOf(whole)))).toEqual(whole);
  });

  it("without a run says what it needs, and a time that is none is left out", () => {
    expect(() => linkOf("chart=x")).toThrow("names no run");
    for (const time of ["from=5&to=1", "from=x&to=9", "from=1", "from=0&to=Infinity"])
      expect(linkOf(`run=a&${time}`)).toEqual({ run: "a", charts: [] });
  });

  it("shows its charts before those that there were, and its time", () => {
    const before = {
      tab: "details",
      charts: [{ family: "a&b=c", mode: "ranking" as const }, { family: "z" }],
      filter: "x",
    };
    expect(layoutOf(LINK, before)).toMatchObject({
      tab: "charts",
      charts: [{ family: "vllm:time_to_first_token_seconds" }, { family: "a&b=c" }, { family: "z" }],
      zoom: LINK.zoom,
      filter: "x",
    });
    expect(layoutOf({ run: "a", charts: [] }, { ...before, zoom: { from: 1, to: 2 } })).not.toHaveProperty("zoom");
  });

  it("is made for runs of the workspace only", () => {
    const context = { extension: { id: "server-metrics.server-metrics" } } as Parameters<typeof linkTo>[0];
    const link = linkTo(context, fileUri("/ws/r/x.json") as never, { charts: [{ family: "f" }], tab: "charts" });
    expect(link).toBe("vscode://server-metrics.server-metrics/open?run=r%252Fx.json&chart=f");
    expect(() => linkTo(context, fileUri("/elsewhere/x.json") as never, null)).toThrow(
      "in no folder of this workspace",
    );
  });

  it("opens a file of the workspace, and nothing outside of it", async () => {
    const opened: string[] = [];
    const failures: string[] = [];
    let work: Promise<unknown> = Promise.resolve();
    const notifier = {
      run: (running: Promise<unknown>) => (work = running.catch((error: Error) => failures.push(error.message))),
    };
    openLinks(notifier as never, (file) => Promise.resolve(void opened.push(file.fsPath)));
    const follow = async (path: string, query: string) => {
      handlers[0]?.handleUri({ path, query });
      await work;
    };
    for (const file of ["/ws/r/x.json", "/etc/x.json"]) files.add(file);
    await follow("/open", "run=r/x.json");
    await follow("/open", "run=/ws/r/x.json");
    expect(opened).toEqual(["/ws/r/x.json", "/ws/r/x.json"]);
    for (const run of ["../etc/x.json", "/etc/x.json", "r/gone.json"]) await follow("/open", `run=${run}`);
    await follow("/other", "run=r/x.json");
    expect(opened).toHaveLength(2);
    expect(failures).toHaveLength(4);
    expect(failures[0]).toContain("There is no ../etc/x.json in this workspace");
  });
});
