import { parsedJson, type ServerAnswer, type ServerClient } from "../../collect/index.js";
import { isFields, isList, UserError, type Fields } from "../../core/text/index.js";

export type Parameters = readonly (readonly [name: string, value: string])[];

/** Proxies refuse longer addresses; a form has no limit. */
const LONGEST_QUERY = 1500;
const TIMEOUT_MS = 150_000;
const TOO_MUCH_REMEDY = "Choose a shorter time, fewer series (a narrower selector) or values at a coarser step.";
const REMEDIES = { slow: TOO_MUCH_REMEDY, large: TOO_MUCH_REMEDY };
const TOO_MUCH =
  /too many (samples|points|series)|exceed\w*.*(limit|max)|(limit|max).*exceed|timed? ?out|out of memory/i;

/** The HTTP API of Prometheus, which Thanos, Mimir and VictoriaMetrics have too. */
export class PrometheusApi {
  constructor(private readonly client: ServerClient) {}

  /** As it may be shown. */
  get url(): string {
    return this.client.url;
  }

  /**
   * The `data` of an answer. `warnings` of the server go to `onWarning`.
   * @param path behind /api/v1
   * @throws UserError; the signal's reason
   */
  async ask(
    path: string,
    parameters: Parameters,
    {
      signal,
      onWarning,
    }: { readonly signal?: AbortSignal | undefined; readonly onWarning?: (text: string) => void } = {},
  ): Promise<unknown> {
    const answer = await this.send(path, parameters, signal);
    const json = parsedJson(answer.body);
    if (isFields(json) && json["status"] === "success") {
      const { warnings, data } = json;
      // Thanos documents them within the data, for answers without what a part of it could not give.
      for (const list of [warnings, isFields(data) ? data["warnings"] : undefined])
        if (isList(list)) for (const warning of list) if (typeof warning === "string") onWarning?.(warning);
      return data;
    }
    throw this.refusal(answer.status, answer.body, json);
  }

  /**
   * The records of an answer of VictoriaMetrics that has one on each line.
   * @returns undefined where the store has no such question
   * @throws UserError; the signal's reason
   */
  async lines(
    path: string,
    parameters: Parameters,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<readonly Fields[] | undefined> {
    const body = this.known(await this.send(path, parameters, signal), /\bjson\b/);
    const lines = body === undefined ? undefined : new TextDecoder().decode(body).split("\n");
    return lines?.filter((line) => line !== "").map(recordOf);
  }

  /**
   * The answer to a remote read, compressed as the request is.
   * @returns undefined where the store has no such question
   * @throws UserError; the signal's reason
   */
  async remoteRead(request: Uint8Array, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const answer = this.answered(
      await this.client.send({
        method: "POST",
        path: "/api/v1/read",
        timeoutMs: TIMEOUT_MS,
        remedies: REMEDIES,
        body: request,
        takes: "snappy",
        headers: {
          "content-type": "application/x-protobuf",
          "content-encoding": "snappy",
          "x-prometheus-remote-read-version": "0.1.0",
        },
        signal,
      }),
    );
    return this.known(answer, /x-protobuf/);
  }

  /** The body of an answer of that type; undefined where the store has no such question. */
  private known({ status, contentType, body }: Answered, type: RegExp): Uint8Array | undefined {
    if (status === 200 && type.test(contentType)) return body;
    if (status < 400 || status === 404 || status === 405 || status === 501) return undefined;
    throw this.refusal(status, body, parsedJson(body));
  }

  private async send(path: string, parameters: Parameters, signal: AbortSignal | undefined): Promise<Answered> {
    const query = new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value]));
    const text = query.toString();
    const inBody = text.length > LONGEST_QUERY;
    const answered = await this.client.send({
      method: inBody ? "POST" : "GET",
      path: `/api/v1${path}`,
      timeoutMs: TIMEOUT_MS,
      remedies: REMEDIES,
      ...(inBody ? { body: text, headers: { "content-type": "application/x-www-form-urlencoded" } } : { query }),
      signal,
    });
    return this.answered(answered);
  }

  private answered(answer: ServerAnswer): Answered {
    if (answer.kind === "failed") {
      const { type, reason, remedy } = answer.failure;
      throw new UserError(reason, remedy, {
        code: type === "timeout" || type === "too-large" || type === "truncated" ? "too-much" : "nothing-reachable",
      });
    }
    return answer;
  }

  private refusal(status: number, body: Uint8Array, json: unknown): UserError {
    const host = this.url.replace(/^https?:\/\//, "");
    if (isFields(json) && typeof json["error"] === "string") {
      const words = this.client.wordsOf(Buffer.from(json["error"]));
      if (json["errorType"] === "timeout" || TOO_MUCH.test(words))
        return new UserError(`${host} refuses an answer this large: ${words}.`, TOO_MUCH_REMEDY, { code: "too-much" });
      return new UserError(`${host} refuses the query: ${words}.`, remedyOf(status));
    }
    if (status >= 200 && status < 300)
      return new UserError(
        `${host} answered, but not as a Prometheus-compatible store does.`,
        "Give the address that Grafana has as its data source: for Mimir it ends in /prometheus, for a cluster of VictoriaMetrics in /select/0/prometheus.",
      );
    const words = this.client.wordsOf(body);
    const message = `${host} answered with HTTP ${status}${words === "" ? "" : ` (“${words}”)`}.`;
    return new UserError(message, remedyOf(status), {
      code: status === 503 || status === 504 ? "too-much" : undefined,
    });
  }
}

type Answered = Extract<ServerAnswer, { kind: "answer" }>;

/** Of a line that was cut off, or is something else, there is none: what it holds would be missing without a word. */
function recordOf(line: string): Fields {
  const json = parsedJson(Buffer.from(line));
  if (!isFields(json)) throw new UserError("A line of the store's export is not a JSON record.");
  return json;
}

function remedyOf(status: number): string | undefined {
  if (status === 401 || status === 403)
    return "Give what it asks for with --header 'Authorization: Bearer $TOKEN', or as headers of the store in serverMetrics.stores.";
  if (status === 404)
    return "Give the address that Grafana has as its data source: for Mimir it ends in /prometheus, for a cluster of VictoriaMetrics in /select/0/prometheus.";
  if (status >= 300 && status < 400) return "It redirects: give the final address.";
  return undefined;
}

/** Questions that one store is asked at the same time. */
const AT_ONCE = 4;

/**
 * Works a queue off, several of it at once; work may put more in front of it. When one fails, those that have not begun
 * are left.
 * @throws what the first failing work throws
 */
export async function eachAtOnce<T>(queue: T[], work: (item: T) => Promise<void>): Promise<void> {
  let active = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      const next = () => {
        for (; active < AT_ONCE; active++) {
          const item = queue.shift();
          if (item === undefined) break;
          work(item).then(() => {
            active--;
            next();
          }, reject);
        }
        if (active === 0) resolve();
      };
      next();
    });
  } finally {
    queue.length = 0;
  }
}
