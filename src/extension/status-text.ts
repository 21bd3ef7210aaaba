import { t } from "@vscode/l10n";
import { markdown, Markdown } from "../core/text/index.js";
import type { EndpointStatus, RunHeader } from "../protocol/index.js";
import { problemWords } from "./words.js";
import { plural } from "../core/text/plural.js";

/** 42 → "0:42", 3723 → "1:02:03". */
export function formatElapsed(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** How many endpoints are up, and how many there are. */
export function endpointsUp(header: RunHeader): { readonly up: number; readonly total: number } {
  return { up: header.endpoints.filter((endpoint) => endpoint.state === "up").length, total: header.endpoints.length };
}

/** "0:42 · 126 scrapes · 2/3 up", with the phase in front during the warm-up. */
export function statusText(header: RunHeader): string {
  const { up, total } = endpointsUp(header);
  const phase = header.phase === "warmup" ? t("warm-up ") : "";
  return t`${phase}${formatElapsed(header.elapsedSeconds ?? 0)} · ${plural(header.scrapes ?? 0, t("scrape"), t("scrapes"))} · ${up}/${total} up`;
}

const STATES: { readonly [S in EndpointStatus["state"]]: { readonly icon: string; readonly words: string } } = {
  connecting: { icon: "sync", words: t("connecting") },
  up: { icon: "pass", words: t("up") },
  failing: { icon: "warning", words: t("failing") },
  disabled: { icon: "circle-slash", words: t("disabled") },
  recorded: { icon: "pass", words: t("captured") },
};

const AT_THE_END: { readonly [S in EndpointStatus["state"]]?: string } = {
  up: t("reachable at the end"),
  failing: t("unreachable at the end"),
};

/** @param over the run is: its endpoints are described as they were at its end */
export function endpointState(
  state: EndpointStatus["state"],
  over = false,
): { readonly icon: string; readonly words: string } {
  const { icon, words } = STATES[state];
  return { icon, words: (over ? AT_THE_END[state] : undefined) ?? words };
}

/** The status bar's tooltip: the run, then each endpoint with its state, latency and what is wrong with it. */
export function statusTooltip(header: RunHeader): Markdown {
  const gaps = (header.gaps ?? 0) === 0 ? t("no gaps") : plural(header.gaps ?? 0, t("gap"), t("gaps"));
  const label = header.label === undefined ? "" : ` ${header.label}`;
  const lines = [markdown`**Server metrics capture**${label}`, markdown`${statusText(header)}, ${gaps}`];
  for (const endpoint of header.endpoints) {
    const { icon, words } = endpointState(endpoint.state);
    const servers = endpoint.servers.length === 0 ? "" : ` (${endpoint.servers.join(", ")})`;
    const latency =
      endpoint.latencyMs === undefined
        ? ""
        : t`, ${endpoint.latencyMs < 10 ? endpoint.latencyMs.toFixed(1) : Math.round(endpoint.latencyMs)} ms`;
    const drawn = new Markdown(`$(${icon})`);
    lines.push(markdown`${drawn} ${endpoint.displayName}${servers}: ${words}${latency}`);
    for (const problem of endpoint.problems) lines.push(markdown`&nbsp;&nbsp;&nbsp;${problemWords(problem)}`);
  }
  return new Markdown(lines.map(({ text }) => text).join("\n\n"));
}
