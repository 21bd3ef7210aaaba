import { configurationLeaves } from "../../core/model/index.js";
import { scrubConfiguration, fieldsOf, isFields, isList, type JsonObject } from "../../core/text/index.js";
import { ByteBuffer } from "../../core/bytes/index.js";
import type { ServerId } from "../../core/catalog/index.js";
import { withoutSecrets } from "../../collect/server-words.js";
import { Fetcher } from "../../collect/http/http.js";
import { parsedJson } from "../../collect/http/json-body.js";
import type { Target, Clock } from "../../collect/index.js";

const TIMEOUT_MS = 2000;
const LIMIT_BYTES = 2 * 1024 ** 2;
/** Of a server: an engine has some two hundred. */
const MAX_SETTINGS = 500;
const MAX_TEXT = 300;

/** What an engine reports of its configuration, and which parts of that are kept: environment and state never. */
const REPORTS: Partial<Record<ServerId, readonly { readonly path: string; readonly left: RegExp }[]>> = {
  vllm: [{ path: "/server_info?config_format=json", left: /^(?:vllm_env|system_env)\b/ }],
  sglang: [{ path: "/get_server_info", left: /^(?:internal_states|env\w*)\b/ }],
};

/**
 * What a server says of itself: version, models, and its engine's settings where it reports them. Requests that change
 * nothing, to the endpoint's own server with the endpoint's own headers; what it does not have is left out.
 */
export async function serverState(
  { url, headers, tls, avoidsReserved }: Target,
  servers: readonly ServerId[],
  time: Clock,
  signal: AbortSignal,
): Promise<JsonObject> {
  const fetcher = new Fetcher(time, {
    url,
    headers,
    ...(tls === undefined ? {} : { tls }),
    ...(avoidsReserved === undefined ? {} : { avoidsReserved }),
  });
  const close = () => fetcher.close();
  signal.addEventListener("abort", close);
  const into = new ByteBuffer();
  const ask = async (path: string): Promise<unknown> => {
    const { outcome } = await fetcher.fetch({
      method: "GET",
      url: besideMetrics(url, path),
      into,
      limitBytes: LIMIT_BYTES,
      timeoutMs: TIMEOUT_MS,
      json: true,
    });
    if (outcome.kind !== "body") return undefined;
    return parsedJson(Buffer.from(withoutSecrets(new TextDecoder().decode(outcome.body), fetcher.hidden)));
  };
  try {
    const version = fieldsOf(await ask("/version"))["version"];
    const models = fieldsOf(await ask("/v1/models"))["data"];
    let settings: JsonObject = {};
    for (const { path, left } of servers.flatMap((server) => REPORTS[server] ?? []))
      settings = { ...settings, ...settingsOf(await ask(path), left) };
    return {
      ...(typeof version === "string" ? { version: version.slice(0, MAX_TEXT) } : {}),
      ...(isList(models) ? { models: models.flatMap(modelOf) } : {}),
      ...(Object.keys(settings).length === 0 ? {} : { settings }),
    };
  } finally {
    signal.removeEventListener("abort", close);
    fetcher.close();
  }
}

/** Without what changes each time it is asked. */
function modelOf(model: unknown): readonly JsonObject[] {
  const { id, root, max_model_len: length } = fieldsOf(model);
  if (typeof id !== "string") return [];
  return [
    {
      id: id.slice(0, MAX_TEXT),
      ...(typeof root === "string" ? { root: root.slice(0, MAX_TEXT) } : {}),
      ...(typeof length === "number" ? { max_model_len: length } : {}),
    },
  ];
}

/** Leaves by their path, without secrets. */
function settingsOf(report: unknown, left: RegExp): JsonObject {
  if (!isFields(report)) return {};
  const leaves = [...configurationLeaves(report)]
    .filter(([path]) => !left.test(path))
    .map(([path, text]) => [path.replace(/^vllm_config\./, ""), text.slice(0, MAX_TEXT)] as const);
  // By the names of their own, whatever they stand in.
  return Object.fromEntries(
    leaves.slice(0, MAX_SETTINGS).map(([path, text]) => {
      const name = /[^.[\]]*$/.exec(path.replace(/\[\d+\]$/, ""))?.[0] ?? path;
      return [path, scrubConfiguration({ [name]: text })[name]];
    }),
  );
}

/** The address of something else of the server whose metrics are at a URL: beside them. */
function besideMetrics(url: string, path: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/(?:\/prometheus)?\/metrics\/?$/, "")}${path}`;
}
