import { epochNs, durationNs, type DurationNs, type EpochNs } from "../model/index.js";
import { parseJson } from "../text/index.js";
import { exactInteger } from "./json/exact.js";

/** One scrape as it came over the wire. */
export interface RecordedScrape {
  readonly url: string;
  /** First response byte. */
  readonly time: EpochNs;
  /** Whole latency: the request was sent at time − latency. */
  readonly latency: DurationNs;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** One line of a scrape log, with its line end. */
export function formatScrapeLogLine(scrape: RecordedScrape): string {
  const { url, time, latency, status, contentType, body } = scrape;
  return `{"url": ${JSON.stringify(url)}, "t_ns": ${time}, "latency_ns": ${latency}, "status": ${status}, "content_type": ${JSON.stringify(contentType)}, "body": ${JSON.stringify(body)}}\n`;
}

/** @throws Error saying what is wrong with the line */
export function parseScrapeLogLine(text: string): RecordedScrape {
  // What begins otherwise is seen at once: errors of JSON.parse are slow where a file has millions.
  if (!/^\s*\{/.test(text)) throw new Error("the line is not a JSON object");
  const line = parseJson(text);
  if (typeof line !== "object" || line === null) throw new Error("the line is not a JSON object");
  const field = <T>(name: string, is: (value: unknown) => value is T): T => {
    const value = (line as { readonly [key: string]: unknown })[name];
    if (!is(value)) throw new Error(`"${name}" is missing or of the wrong type`);
    return value;
  };
  // A body may hold text that looks like a field: the time is looked for before it.
  const head = text.slice(0, text.indexOf('"body"'));
  return {
    url: field("url", isString),
    time: epochNs(exactInteger(head, "t_ns", field("t_ns", isNumber))),
    latency: durationNs(field("latency_ns", isNumber)),
    status: field("status", isNumber),
    contentType: field("content_type", isString),
    body: field("body", isString),
  };
}

const isString = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
