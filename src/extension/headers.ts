import { t } from "@vscode/l10n";
import type { SecretStorage } from "vscode";
import { UserError } from "../core/text/errors.js";
import { parseEndpointUrl, parseServerUrl } from "../collect/url.js";
import { endpointName } from "./capture/endpoint-items.js";
import type { Origins } from "./origins.js";
import { SETTINGS } from "./settings/definitions.js";
import { isHeaderName } from "./settings/endpoint-setting.js";
import { isSaved } from "./settings/endpoints.js";
import { readSetting } from "./settings/read.js";
import { askInput } from "./workbench-text.js";

/*
 * Request headers of endpoints (tokens, mostly) live in VS Code's SecretStorage and not in a setting: settings are
 * plain text, are synchronised between machines and are committed with a workspace. A secret is found by the endpoint's
 * URL without credentials, so that it is only ever sent to where it was entered for.
 */

type Headers = { readonly [name: string]: string };

function secretKey(url: string): string {
  return `headers:${parseEndpointUrl(url).url}`;
}

function queryKey(url: string): string {
  return `query:${parseEndpointUrl(url).url}`;
}

function environment(setting: string, header: string, name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw unknownReference(setting, header, t`the environment that VS Code was started from has no ${name}.`);
  if (/[\r\n\0]/.test(value)) throw unknownReference(setting, header, t`${name} holds more than one line.`);
  return value;
}

function unknownReference(setting: string, header: string, what: string): UserError {
  return new UserError(
    t`${setting}, header ${header}: ${what}`,
    t("Write ${env:NAME} for a variable of the environment, ${secret:NAME} for one of VS Code's secrets."),
    { setting },
  );
}

export class EndpointHeaders {
  constructor(
    private readonly secrets: SecretStorage,
    /** Decides who may be contacted. */
    readonly origins: Origins,
  ) {}

  /** Empty when none were set. */
  async get(url: string): Promise<Headers> {
    const stored = await this.secrets.get(secretKey(url));
    if (stored === undefined) return {};
    const parsed: unknown = JSON.parse(stored);
    if (typeof parsed !== "object" || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  }

  async set(url: string, headers: Headers): Promise<void> {
    if (Object.keys(headers).length === 0) await this.secrets.delete(secretKey(url));
    else await this.secrets.store(secretKey(url), JSON.stringify(headers));
  }

  /**
   * Moves user, password and the values of secret query parameters into the secret storage and returns the URL without
   * them. Of endpoints in the settings that differ only in such a value, the later ones are numbered.
   * @param kind to a store's address no path is added
   */
  async takeCredentials(text: string, kind: "endpoint" | "store" = "endpoint"): Promise<string> {
    const parse = kind === "store" ? parseServerUrl : parseEndpointUrl;
    const { url, authorization, search } = parse(text, readSetting(SETTINGS.secretParameters));
    if (authorization === undefined && search === undefined) return text.trim();
    const kept = search === undefined ? url : await this.keepQuery(url, search);
    if (authorization !== undefined) await this.set(kept, { ...(await this.get(kept)), Authorization: authorization });
    return kept;
  }

  /** The URL with the secrets of its query, as it is scraped. */
  async withQuery(url: string): Promise<string> {
    const search = await this.secrets.get(queryKey(url));
    if (search === undefined) return url;
    const full = new URL(parseServerUrl(url).url);
    full.search = search;
    return full.href;
  }

  /**
   * Headers of the settings as they are sent: `${env:NAME}` from the environment, `${secret:NAME}` from the secret
   * storage. A secret that is not there is asked for, once for each host, so that it is only ever sent to where it was
   * entered for. @throws UserError naming the setting and the reference, never a value
   */
  async resolve(url: string, written: Headers, setting: string): Promise<Headers> {
    const { origin } = new URL(parseEndpointUrl(url).url);
    const sent: { [name: string]: string } = {};
    for (const [name, value] of Object.entries(written)) {
      let text = "";
      for (const part of value.split(/(\$\{[^}]*\})/)) {
        const [, kind, reference = ""] = /^\$\{(?:(env|secret):(\w[\w.-]*))?.*\}$/s.exec(part) ?? [];
        if (!part.startsWith("${")) text += part;
        else if (kind === "env") text += environment(setting, name, reference);
        else if (kind === "secret") text += await this.secret(origin, reference);
        else throw unknownReference(setting, name, t`${part} is not a reference.`);
      }
      sent[name] = text;
    }
    return sent;
  }

  private async secret(origin: string, name: string): Promise<string> {
    const key = `secret:${origin}:${name}`;
    const stored = await this.secrets.get(key);
    if (stored !== undefined) return stored;
    const value = await askInput({
      title: t`Secret ${name} of ${endpointName(origin)}`,
      prompt: t`The settings name it as ${`\${secret:${name}}`}. It is kept in VS Code's secret storage, for this host only.`,
      password: true,
      validate: (text) => (/[\r\n\0]/.test(text) ? t("A header's value must be a single line.") : undefined),
    });
    if (value === undefined || value === "")
      throw new UserError(
        t`The secret ${name} of ${endpointName(origin)} has not been entered.`,
        t("Start again and enter it."),
      );
    await this.secrets.store(key, value);
    return value;
  }

  private async keepQuery(url: string, search: string): Promise<string> {
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? url : `${url}#${number}`;
      const stored = await this.secrets.get(queryKey(candidate));
      if (stored !== undefined && stored !== search && isSaved(candidate)) continue;
      await this.secrets.store(queryKey(candidate), search);
      return candidate;
    }
  }

  /** Asks for one header of the endpoint; an empty value removes it. @returns whether anything was changed. */
  async edit(url: string): Promise<boolean> {
    const present = await this.get(url);
    const known = Object.keys(present);
    const name = await askInput({
      title: t`Request header of ${endpointName(url)}`,
      prompt:
        known.length === 0
          ? t("Name of the header. It is kept in VS Code's secret storage.")
          : t`Name of the header. Set now: ${known.join(", ")}.`,
      value: t("Authorization"),
      validate: (text) =>
        isHeaderName(text.trim())
          ? undefined
          : t("A header's name consists of letters, digits and dashes, such as Authorization."),
    });
    if (name === undefined) return false;
    const value = await askInput({
      title: t`${name.trim()} of ${endpointName(url)}`,
      prompt: t("Value, such as Bearer followed by a token. Leave it empty to remove the header."),
      password: true,
      validate: (text) => (/[\r\n\0]/.test(text) ? t("A header's value must be a single line.") : undefined),
    });
    if (value === undefined) return false;
    const others = Object.fromEntries(
      Object.entries(present).filter(([other]) => other.toLowerCase() !== name.trim().toLowerCase()),
    );
    await this.set(url, value === "" ? others : { ...others, [name.trim()]: value });
    return true;
  }
}
