import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Fleet {
  readonly urls: readonly string[];
  close(): void;
}

/** Starts endpoints that each expose `series` series, in a process of their own. */
export async function startFleet(endpoints: number, series: number): Promise<Fleet> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("./fleet.mjs", import.meta.url)), String(endpoints), String(series)],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    const ports: unknown = JSON.parse(line);
    if (!Array.isArray(ports)) throw new Error(`the fleet printed ${line}`);
    return { urls: ports.map((port) => `http://127.0.0.1:${port}/metrics`), close: () => child.stdin.end() };
  }
  throw new Error("the fleet ended before it listened");
}
