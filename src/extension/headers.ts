import type { SecretStorage } from "vscode";
import { parseEndpointUrl } from "../collect/url.js";
import { endpointName } from "./capture/endpoint-items.js";
import { askInput } from "./sinks.js";

/*
 * Request headers of endpoints (tokens, mostly) live in VS Code's SecretStorage and not in a setting: settings are
 * plain text, are synchronised between machines and are committed with a workspace. A secret is found by the endpoint's
 * URL without credentials, so that it is only ever sent to where it was entered for.
 */

type Headers = { readonly [name: string]: string };

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function secretKey(url: string): string {
  return `headers:${parseEndpointUrl(url).url}`;
}

export class EndpointHeaders {
  constructor(private readonly secrets: SecretStorage) {}

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

  /** Moves the user and password of a URL into the secret storage and returns the URL without them. */
  async takeCredentials(url: string): Promise<string> {
    const address = parseEndpointUrl(url);
    if (address.authorization === undefined) return url.trim();
    await this.set(url, { ...(await this.get(url)), Authorization: address.authorization });
    return address.url;
  }

  /** Asks for one header of the endpoint; an empty value removes it. @returns whether anything was changed. */
  async edit(url: string): Promise<boolean> {
    const present = await this.get(url);
    const known = Object.keys(present);
    const name = await askInput({
      title: `Request header of ${endpointName(url)}`,
      prompt:
        known.length === 0
          ? "Name of the header. It is kept in VS Code's secret storage."
          : `Name of the header. Set now: ${known.join(", ")}.`,
      value: "Authorization",
      validateInput: (text) =>
        HEADER_NAME.test(text.trim())
          ? undefined
          : "A header's name is letters, digits and dashes, such as Authorization.",
    });
    if (name === undefined) return false;
    const value = await askInput({
      title: `${name.trim()} of ${endpointName(url)}`,
      prompt: "Value, such as Bearer followed by a token. Leave it empty to remove the header.",
      password: true,
      validateInput: (text) => (/[\r\n\0]/.test(text) ? "A header's value is one line." : undefined),
    });
    if (value === undefined) return false;
    const others = Object.fromEntries(
      Object.entries(present).filter(([other]) => other.toLowerCase() !== name.trim().toLowerCase()),
    );
    await this.set(url, value === "" ? others : { ...others, [name.trim()]: value });
    return true;
  }
}
