import { describe, expect, it } from "vitest";
import {
  endpointItems,
  endpointName,
  resolvePick,
  type ChosenEndpoint,
  recentSets,
  rememberSet,
} from "../../../src/extension/capture/endpoint-items.js";
import { memento } from "../../support/memento.js";

const PORTS = [8000, 8081, 7777, 2379, 30000];
const kinds = (typed: string, chosen: readonly ChosenEndpoint[] = []) =>
  endpointItems(typed, chosen, PORTS).map(({ action }) => action.kind);
const one: ChosenEndpoint = { url: "gpu-1:8000", origin: "typed" };

describe("what the endpoint picker offers", () => {
  it("without text: the two ways to find an endpoint", () => {
    expect(kinds("")).toEqual(["discover", "demo"]);
  });

  it("puts a typed URL first, whatever else matches", () => {
    expect(endpointItems("localhost:8000", [], PORTS)[0]).toMatchObject({
      icon: "add",
      label: "Use localhost:8000",
      description: "http://localhost:8000/metrics",
      alwaysShow: true,
      action: { kind: "add", url: "localhost:8000" },
    });
  });

  it("lets a word filter the list before it is taken for a host", () => {
    expect(kinds("demo")).toEqual(["discover", "demo", "add"]);
  });

  it("says what is wrong with the text as it is typed", () => {
    const [first] = endpointItems("localhost:80a", [], PORTS);
    expect(first?.action).toEqual({ kind: "invalid" });
    expect(first?.label).toMatch(/port/);
  });

  it("goes on first once an endpoint is chosen, and lists those chosen for removal", () => {
    expect(kinds("", [one])).toEqual(["continue", "discover", "demo", "remove"]);
    expect(endpointItems("", [one, { url: "b", origin: "typed" }], PORTS)[0]).toMatchObject({
      icon: "play",
      label: "Continue with these 2 endpoints",
      description: "gpu-1:8000, b",
    });
  });

  it("offers the endpoints of earlier captures with what a test has found, until one is chosen", () => {
    const two: ChosenEndpoint = { url: "gpu-2:8000", origin: "typed" };
    const known = { recent: [[one, two], [one]], states: new Map([["gpu-2:8000", "HTTP 401"]]) };
    const [first, second] = endpointItems("", [], PORTS, known);
    expect(first).toMatchObject({
      label: "Start again: gpu-1:8000, gpu-2:8000",
      detail: "gpu-2:8000: HTTP 401",
      action: { kind: "again", endpoints: [one, two] },
    });
    expect(second?.detail).toBe("Captured before; testing…");
    expect(endpointItems("", [two], PORTS, known).map(({ action, detail }) => [action.kind, detail])).toEqual([
      ["continue", undefined],
      ["discover", expect.any(String)],
      ["demo", expect.any(String)],
      ["remove", "HTTP 401"],
    ]);
  });

  it("remembers the five latest sets of a workspace, each once, and not what the settings name", async () => {
    const memory = memento();
    for (const n of [1, 2, 3, 4, 5, 6, 2]) await rememberSet(memory, [{ url: `h:${n}`, origin: "typed" }]);
    await rememberSet(memory, [{ url: "h:9", origin: "settings" }]);
    expect(recentSets(memory).map(([first]) => first?.url)).toEqual(["h:2", "h:6", "h:5", "h:4", "h:3"]);
  });

  it("never shows a password", () => {
    const text = JSON.stringify([
      endpointItems("http://u:secret@h:1", [], PORTS).map(({ label, description }) => [label, description]),
      endpointName("http://u:secret@h:1"),
    ]);
    expect(text).toContain("h:1");
    expect(text).not.toContain("secret");
  });
});

describe("what Enter means while the list lags behind the typing", () => {
  it("takes the text in the box, not the item made from an earlier one", () => {
    expect(resolvePick({ kind: "add", url: "localhost:800" }, "localhost:8000")).toEqual({
      kind: "add",
      url: "localhost:8000",
    });
    expect(resolvePick(undefined, " localhost:8000 ")).toEqual({ kind: "add", url: "localhost:8000" });
    expect(resolvePick({ kind: "invalid" }, "localhost:8000")).toEqual({ kind: "add", url: "localhost:8000" });
  });

  it("adds a second URL rather than going on without it", () => {
    expect(resolvePick({ kind: "continue" }, "gpu-2:8000")).toEqual({ kind: "add", url: "gpu-2:8000" });
    expect(resolvePick({ kind: "continue" }, "")).toEqual({ kind: "continue" });
  });

  it("does nothing with text that is not a URL", () => {
    expect(resolvePick({ kind: "invalid" }, "ftp://host")).toBeUndefined();
    expect(resolvePick(undefined, "")).toBeUndefined();
  });

  it("keeps to another item that was picked", () => {
    expect(resolvePick({ kind: "demo" }, "demo")).toEqual({ kind: "demo" });
    expect(resolvePick({ kind: "discover" }, "disc")).toEqual({ kind: "discover" });
  });
});
