import win32 from "node:path/win32";
import { expect, it, vi } from "vitest";

vi.mock("node:path", async () => {
  const { default: windows } = await import("node:path/win32");
  return { ...windows, default: windows };
});
const { idBelow } = await import("../../../src/files/library/scan.js");
const { liesBelow } = await import("../../../src/files/opener.js");
const { pendingFile, renameOver } = await import("../../../src/files/atomic.js");
const { runsFolderOf } = await import("../../../src/experiment/index.js");
const { shortLabels } = await import("../../../src/engine/comparison/labels.js");

it("names runs below a folder with slashes, on Windows too", () => {
  expect(idBelow("C:\\runs", "C:\\runs\\night\\server_metrics_export")).toBe("night/server_metrics_export");
  const paths = ["a", "b"].map((name) => ({ path: `C:\\runs\\${name}\\server_metrics_export.json` }));
  expect(shortLabels(paths)).toEqual(["a", "b"]);
});

it("keeps to a folder of Windows, whatever the case of its drive, and not to that of another", () => {
  expect(liesBelow("C:\\runs", "c:\\runs\\night\\x.json")).toBe(true);
  for (const outside of ["C:\\runs", "C:\\runs2\\x.json", "D:\\runs\\x.json", "C:\\x.json", "\\\\server\\runs\\x.json"])
    expect({ outside, below: liesBelow("C:\\runs", outside) }).toEqual({ outside, below: false });
});

it("writes beside a file of Windows, and finds an experiment's runs there", () => {
  const { temporary } = pendingFile("C:\\runs\\server_metrics_export.json");
  expect(win32.dirname(temporary)).toBe("C:\\runs");
  expect(win32.basename(temporary)).toMatch(/^\.server_metrics_export\.json\.[\w-]+\.tmp$/);
  expect(runsFolderOf("C:\\lab\\demo.experiment.yaml")).toBe("C:\\lab\\demo");
});

it("waits for a program that has the file open on Windows, and only there", async () => {
  const held = Object.assign(new Error("held"), { code: "EPERM" });
  const move = vi.fn<() => Promise<void>>();
  move.mockRejectedValueOnce(held).mockRejectedValueOnce(held).mockResolvedValue(undefined);
  await renameOver("a", "b", { move, platform: "win32", waits: [0, 0, 0] });
  expect(move).toHaveBeenCalledTimes(3);

  move.mockReset().mockRejectedValue(held);
  await expect(renameOver("a", "b", { move, platform: "win32", waits: [0, 0] })).rejects.toBe(held);
  expect(move).toHaveBeenCalledTimes(3);
  await expect(renameOver("a", "b", { move, platform: "linux" })).rejects.toBe(held);
  expect(move).toHaveBeenCalledTimes(4);

  move.mockReset().mockRejectedValue(Object.assign(new Error("full"), { code: "ENOSPC" }));
  await expect(renameOver("a", "b", { move, platform: "win32" })).rejects.toThrow("full");
  expect(move).toHaveBeenCalledTimes(1);
});
