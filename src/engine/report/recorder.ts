import { deflateRawSync } from "node:zlib";
import { describeError, packReport, type RecordedAnswer, type RequestsOf } from "../../protocol/index.js";

/** What answers, such as a channel's client. */
export interface Asked<Requests extends RequestsOf<Requests>> {
  call<K extends keyof Requests & string>(
    name: K,
    params: Requests[K]["params"],
    signal?: AbortSignal,
  ): Promise<Requests[K]["result"]>;
}

/** An answer to what has no parameters, known without asking. */
export function answerOf(name: string, result: unknown): RecordedAnswer {
  return { name, params: {}, outcome: { result } };
}

/** What answers may take together, packed. As text, and with the views, a report is about twice that. */
export const MOST_BYTES = 700_000;

/** Asks for a report, keeps what is answered, and knows how large that has become. */
export class Recorder<Requests extends RequestsOf<Requests>> {
  readonly answers: RecordedAnswer[] = [];
  /** Packed. */
  bytes = 0;

  constructor(
    private readonly asked: Asked<Requests>,
    private readonly signal?: AbortSignal,
  ) {}

  /** @throws what it is answered with */
  ask<K extends keyof Requests & string>(name: K, params: Requests[K]["params"]): Promise<Requests[K]["result"]> {
    this.signal?.throwIfAborted();
    return this.asked.call(name, params, this.signal);
  }

  /**
   * Asks and keeps. An answer that says why there is none is kept too, and undefined returned.
   * @param asked what is asked for, where the page asks for less
   */
  async record<K extends keyof Requests & string>(
    name: K,
    params: Requests[K]["params"],
    asked = params,
  ): Promise<Requests[K]["result"] | undefined> {
    try {
      const answer = await this.ask(name, asked);
      this.keep(name, params, answer);
      return answer;
    } catch (error) {
      this.signal?.throwIfAborted();
      this.add({ name, params, outcome: { error: describeError(error) } });
      return undefined;
    }
  }

  keep<K extends keyof Requests & string>(name: K, params: Requests[K]["params"], result: Requests[K]["result"]): void {
    this.add({ name, params, outcome: { result: DRAWN.has(name) ? drawn(result) : result } });
  }

  private add(answer: RecordedAnswer): void {
    this.answers.push(answer);
    this.bytes += deflateRawSync(packReport({ view: "run", about: NOTHING, answers: [answer] }), { level: 1 }).length;
  }
}

const NOTHING = { title: "", made: "", version: "", files: [], leftOut: [], redacted: [] };

/** Answers that are drawn need no more digits; packed, those are most of a report. */
const DRAWN: ReadonlySet<string> = new Set(["chart", "heatmap", "runChart", "runHeatmap"]);
const DRAWN_DIGITS = 6;

/** The numbers of a drawing: as they are where they are whole, such as times. */
function drawn<T>(value: T): T;
function drawn(value: unknown): unknown {
  if (value instanceof Float64Array)
    return value.map((one) => (Number.isInteger(one) ? one : Number(one.toPrecision(DRAWN_DIGITS))));
  if (Array.isArray(value)) return value.map((item) => drawn(item as unknown));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, drawn(member as unknown)]));
}
