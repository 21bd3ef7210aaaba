import { t } from "@vscode/l10n";
import { validateUrl } from "../../collect/url.js";
import { ENDPOINT_SOURCES, type EndpointSource } from "../../core/model/index.js";
import { settingError } from "./setting.js";

/** An entry of `serverMetrics.endpoints` or `serverMetrics.stores`. */
export interface EndpointSetting {
  readonly url: string;
  readonly label?: string;
  readonly enabled: boolean;
  /** Absent: an exposition. */
  readonly source?: EndpointSource;
  /** Absent: events of the server are not read. */
  readonly events?: true;
  /** Values as written: `${env:NAME}` and `${secret:NAME}` stand for what is sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM files. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Reads one entry of a list of endpoints; `key` is the list's setting. @throws UserError */
export const endpointItem =
  (key: string) =>
  (value: unknown, index: number): EndpointSetting =>
    parseEndpoint(value, key, t`${key}, entry ${index + 1}`);

function parseEndpoint(value: unknown, key: string, at: string): EndpointSetting {
  if (typeof value !== "object" || value === null || !("url" in value) || typeof value.url !== "string")
    throw settingError(key, t`${at}: must be an object with a "url".`);
  const wrong = validateUrl(value.url);
  if (wrong !== undefined) throw settingError(key, `${at}: ${wrong}`);
  const label = "label" in value && typeof value.label === "string" && value.label !== "" ? value.label : undefined;
  const enabled = !("enabled" in value) || value.enabled !== false;
  const source = "source" in value ? ENDPOINT_SOURCES.find((name) => name === value.source) : "prometheus";
  if (source === undefined) throw settingError(key, t`${at}: "source" must be one of ${ENDPOINT_SOURCES.join(", ")}.`);
  return {
    url: value.url.trim(),
    enabled,
    ...(label === undefined ? {} : { label }),
    ...(source === "prometheus" ? {} : { source }),
    ...("events" in value && value.events === true ? { events: true } : {}),
    ...parseAccess(value, key, at),
  };
}

function parseAccess(value: object, key: string, at: string): Pick<EndpointSetting, "headers" | "ca" | "cert" | "key"> {
  const wrong = (what: string) => settingError(key, `${at}: ${what}`);
  const members = new Map<string, unknown>(Object.entries(value));
  const file = (name: string): string | undefined => {
    const path = members.get(name);
    if (path === undefined || path === "") return undefined;
    if (typeof path !== "string") throw wrong(t`"${name}" must be the path of a PEM file.`);
    return path;
  };
  const [ca, cert, certKey] = [file("ca"), file("cert"), file("key")];
  if ((cert === undefined) !== (certKey === undefined))
    throw wrong(t(`a client's certificate needs both "cert" and "key".`));
  const given = members.get("headers");
  const headers: readonly [string, unknown][] =
    given === undefined ? [] : typeof given === "object" && given !== null ? Object.entries(given) : [["", given]];
  const texts = headers.map(([name, text]): [string, string] => {
    if (isHeaderName(name) && typeof text === "string" && !/[\r\n\0]/.test(text)) return [name, text];
    throw wrong(
      `"headers" must be an object of names and one-line strings, such as "Authorization": "Bearer \${env:TOKEN}".`,
    );
  });
  return {
    ...(texts.length === 0 ? {} : { headers: Object.fromEntries(texts) }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(certKey === undefined ? {} : { key: certKey }),
  };
}

/** A token of RFC 9110. */
export function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}
