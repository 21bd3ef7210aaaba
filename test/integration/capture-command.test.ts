import { readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { answering, cliFolder } from "../support/cli-folder.js";
import { runCli, startCli, until } from "../support/cli.js";
import { startedBy } from "../support/peak.js";
import { startInTerminal } from "../support/terminal.js";

const { file, folder, server } = cliFolder();

const METRICS = answering("# TYPE a gauge\na 1\n");
/** Says that it runs, and ends where a file of this name appears in its folder. */
const COMMAND = `
  const { existsSync, writeFileSync } = require("node:fs");
  writeFileSync("pid", String(process.pid));
  setInterval(() => existsSync("end") && process.exit(5), 20);
`;

/** Of /proc/PID/stat: parent, process group, session, and the terminal's foreground group. */
function processOf(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [, parent, group, session, , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(parent), group: Number(group), session: Number(session), foreground: Number(foreground) };
}

async function childrenOf(pid = 0): Promise<readonly number[]> {
  return (await startedBy(String(pid))).map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that nobody has waited for yet has ended all the same.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** A capture whose command runs and from which scrapes have come. */
async function started() {
  let scrapes = 0;
  const { origin } = await server((request, response) => {
    if (request.method === "GET") scrapes++;
    METRICS(request, response);
  });
  await mkdir(file("work"));
  const args = ["capture", "--url", origin, "--interval", "20ms", "--out", file("out")];
  const running = startCli([...args, "--", process.execPath, "-e", COMMAND], { cwd: file("work") });
  let command = 0;
  // The file is there a moment before what is written to it.
  await until("the command to run", async () => {
    command = Number(await readFile(file("work/pid"), "utf8").catch(() => ""));
    return command > 0;
  });
  const before = scrapes;
  await until("scrapes beside the command", () => scrapes > before + 3);
  const capture = running.child.pid!;
  const [scraper = 0] = (await childrenOf(capture)).filter((pid) => pid !== command);
  return { running, capture, scraper, command, endCommand: () => writeFile(file("work/end"), "") };
}

// Sessions are read from /proc.
describe.skipIf(process.platform !== "linux")("capture -- COMMAND", () => {
  it("scrapes in a session of its own and leaves the command in that of the terminal", async () => {
    const { running, capture, scraper, command, endCommand } = await started();
    const { session, group } = processOf(capture);
    expect(processOf(command)).toMatchObject({ parent: capture, session, group });
    expect(processOf(scraper)).toMatchObject({ session: scraper, group: scraper });
    await endCommand();
    expect(await running.finished).toMatchObject({ code: 5 });
    expect([scraper, command].map(isAlive)).toEqual([false, false]);
    expect(await readdir(file("out"))).toContain("server_metrics_export.json");
  });

  it("writes what was captured when the process at the terminal is killed, and ends", async () => {
    const { running, scraper, command, endCommand } = await started();
    running.child.kill("SIGKILL");
    await until("the end of the process that scrapes", () => !isAlive(scraper));
    expect(await readdir(file("out"))).toContain("server_metrics_export.json");
    // The command is nobody's any more and goes on, as it would without a capture.
    expect(isAlive(command)).toBe(true);
    await endCommand();
    await until("the end of the command", () => !isAlive(command));
  });

  it("says how to get what was captured when the process that scrapes is killed", async () => {
    const { running, scraper, command, endCommand } = await started();
    // Something of it is on disk.
    await until("a flush", async () => {
      const journal = (await readdir(file("out")))[0];
      return journal !== undefined && (await readFile(file(`out/${journal}`))).length > 0;
    });
    process.kill(scraper, "SIGKILL");
    await until("the end of the process that scrapes", () => !isAlive(scraper));
    expect(isAlive(command)).toBe(true);
    await endCommand();
    const { code, stderr } = await running.finished;
    expect(code).toBe(5);
    const journal = /captured was ended by SIGKILL.* recover '(.*)' --out DIR/.exec(stderr)?.[1] ?? "";
    expect(await runCli(["recover", journal, "--out", file("recovered")])).toMatchObject({ code: 0 });
  });

  it("leaves nothing behind when a signal comes before the command is started", async () => {
    let asked = false;
    const { origin } = await server(() => void (asked = true));
    const running = startCli(["capture", "--url", origin, "--out", file("out"), "--", "touch", file("ran")]);
    await until("the first request", () => asked);
    const [scraper = 0] = await childrenOf(running.child.pid);
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "server-metrics: interrupted before the capture began\n",
    });
    expect(isAlive(scraper)).toBe(false);
    expect(await readdir(folder())).toEqual([]);
  });

  it("does not lose a signal that comes as the command is about to start", async () => {
    let asked = false;
    const { origin } = await server((request, response) => {
      asked = true;
      METRICS(request, response);
    });
    const running = startCli(["capture", "--url", origin, "--out", file("out"), "--", "sleep", "1000"]);
    const { child } = running;
    await until("the first request", () => asked);
    // Held back, it meets the signal and the word to start the command together.
    child.kill("SIGSTOP");
    await until("the capture to begin", () => running.stderrSoFar().includes("reachable"));
    child.kill("SIGINT");
    child.kill("SIGCONT");
    // The command was not started, or had the signal.
    expect([1, 130]).toContain((await running.finished).code);
    expect(await childrenOf(child.pid)).toEqual([]);
  });

  it("leaves nothing behind when the command cannot be started", async () => {
    const { origin } = await server(METRICS);
    const { code, stderr } = await runCli(["capture", "--url", origin, "--out", file("out"), "--", "no-such-program"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/the command "no-such-program" could not be started: there is no such program/);
    expect(await readdir(folder())).toEqual([]);
  });

  it("gives the command the terminal, and it alone a Ctrl-C", async () => {
    const { origin } = await server(METRICS);
    const command = `
      const { execFileSync } = require("node:child_process");
      const resize = (columns) => execFileSync("stty", ["rows", "33", "cols", columns], { stdio: "inherit" });
      resize("99");
      let interrupts = 0;
      process.on("SIGINT", () => {
        interrupts++;
        setTimeout(() => { console.log("interrupts " + interrupts); process.exit(6); }, 300);
      });
      process.stdout.on("resize", () => console.log("resized to " + process.stdout.columns));
      process.stdin.on("data", () => resize("77"));
      console.log("terminal " + [process.stdin.isTTY, process.stdout.isTTY, process.stdout.getWindowSize()]);
    `;
    const capture = ["capture", "--url", origin, "--interval", "20ms", "--out", file("out")];
    const args = [...capture, "--", process.execPath, "-e", command];
    // A shell that stayed would be interrupted as well, and end with 130 whatever the command ends with, as dash does.
    const { terminal, closed } = startInTerminal("exec", args, file("cache"));
    let shown = "";
    terminal.stdout.on("data", (data: Buffer) => (shown += data.toString()));
    await until("the command's terminal", () => shown.includes("terminal true,true,99,33"));
    terminal.stdin.write("a line\n");
    await until("its new size", () => shown.includes("resized to 77"));
    terminal.stdin.write("\x03");
    expect(await closed).toBe(6);
    expect(shown).toContain("interrupts 1\r\n");
    expect(await readdir(file("out"))).toContain("server_metrics_export.json");
  });
});

it("the capture command refuses a path within a Pushgateway before anything is captured", async () => {
  const { origin } = await server(METRICS);
  for (const path of ["/metrics", "/metrics/job/aiperf"]) {
    const { code, stderr } = await runCli(["capture", origin, "--pushgateway", `http://gateway:9091${path}`]);
    expect(code).toBe(2);
    expect(stderr).toContain("Give its own address, http://gateway:9091: runs are pushed to");
  }
});
