import { t } from "@vscode/l10n";
import { validateUrl } from "../../collect/url.js";
import { ENDPOINT_SOURCES, type EndpointSource } from "../../core/model/index.js";
import { fieldsOf, isFields, type Fields, type UserError } from "../../core/text/index.js";
import { listSetting, settingError, type Setting } from "./setting.js";

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

/** A list of endpoints. */
export function endpointsSetting(key: string): Setting<readonly EndpointSetting[]> {
  return listSetting(key, [], 'an object with a "url"', (value, at) => parseEndpoint(value, key, at));
}

function parseEndpoint(value: unknown, key: string, at: string): EndpointSetting {
  const fields = fieldsOf(value);
  const { url, label, enabled, source: named = "prometheus", events } = fields;
  if (typeof url !== "string") throw settingError(key, t`${at}: must be an object with a "url".`);
  const wrong = validateUrl(url);
  if (wrong !== undefined) throw settingError(key, `${at}: ${wrong}`);
  const source = ENDPOINT_SOURCES.find((name) => name === named);
  if (source === undefined) throw settingError(key, t`${at}: "source" must be one of ${ENDPOINT_SOURCES.join(", ")}.`);
  return {
    url: url.trim(),
    enabled: enabled !== false,
    ...(typeof label === "string" && label !== "" ? { label } : {}),
    ...(source === "prometheus" ? {} : { source }),
    ...(events === true ? { events } : {}),
    ...parseAccess(fields, (what) => settingError(key, `${at}: ${what}`)),
  };
}

function parseAccess(
  fields: Fields,
  wrong: (what: string) => UserError,
): Pick<EndpointSetting, "headers" | "ca" | "cert" | "key"> {
  const named = ["ca", "cert", "key"].flatMap((name): [string, string][] => {
    const file = fields[name];
    if (file === undefined || file === "") return [];
    if (typeof file !== "string") throw wrong(t`"${name}" must be the path of a PEM file.`);
    return [[name, file]];
  });
  const files: Pick<EndpointSetting, "ca" | "cert" | "key"> = Object.fromEntries(named);
  if ((files.cert === undefined) !== (files.key === undefined))
    throw wrong(t(`a client's certificate needs both "cert" and "key".`));
  const { headers = {} } = fields;
  const entries: readonly [string, unknown][] = isFields(headers) ? Object.entries(headers) : [["", headers]];
  const texts = entries.map(([name, text]): [string, string] => {
    if (isHeaderName(name) && typeof text === "string" && !/[\r\n\0]/.test(text)) return [name, text];
    throw wrong(
      `"headers" must be an object of names and one-line strings, such as "Authorization": "Bearer \${env:TOKEN}".`,
    );
  });
  return { ...(texts.length === 0 ? {} : { headers: Object.fromEntries(texts) }), ...files };
}

/** A token of RFC 9110. */
export function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}
