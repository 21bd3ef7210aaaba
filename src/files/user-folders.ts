import { homedir } from "node:os";
import { join } from "node:path";

/** The user's folder for what can be found out again. */
export function cacheFolder(): string {
  return join(userFolder("XDG_CACHE_HOME", ["Library", "Caches"], ".cache"), "server-metrics");
}

/** The user's folder for what cannot. */
export function dataFolder(): string {
  return join(
    userFolder("XDG_DATA_HOME", ["Library", "Application Support"], join(".local", "share")),
    "server-metrics",
  );
}

function userFolder(variable: string, mac: readonly string[], other: string): string {
  const { [variable]: xdg, LOCALAPPDATA: windows } = process.env;
  if (xdg !== undefined && xdg !== "") return xdg;
  if (process.platform === "win32" && windows !== undefined) return windows;
  return process.platform === "darwin" ? join(homedir(), ...mac) : join(homedir(), other);
}
