import { ConfigurationTarget, workspace } from "vscode";
import type { Contact } from "../../collect/origin.js";
import { parseEndpointUrl, validateUrl } from "../../collect/url.js";
import type { Origins } from "../origins.js";
import { SETTINGS } from "./definitions.js";
import type { EndpointSetting } from "./endpoint-setting.js";
import { isOfWorkspace, readSetting } from "./read.js";

/** The two spellings mean one endpoint. */
export function sameEndpoint(a: string, b: string): boolean {
  if (validateUrl(a) !== undefined || validateUrl(b) !== undefined) return a === b;
  return parseEndpointUrl(a).url === parseEndpointUrl(b).url;
}

/** Where endpoints are kept: with the workspace when there is one, else with the user. */
function target(): ConfigurationTarget {
  return workspace.workspaceFolders === undefined ? ConfigurationTarget.Global : ConfigurationTarget.Workspace;
}

/**
 * Adds endpoints that the user chose to the settings, but for those already there. URLs must be free of credentials.
 * Where the workspace keeps them, the user is not asked for them again.
 * @throws UserError when the setting holds something unreadable, which is then left alone.
 */
export async function saveEndpoints(added: readonly EndpointSetting[], origins: Origins): Promise<void> {
  const present = readSetting(SETTINGS.endpoints);
  await origins.approve([...added, ...(isOfWorkspace(SETTINGS.endpoints) ? [] : present)].map(named));
  const fresh = added.filter((one) => !present.some((other) => sameEndpoint(one.url, other.url)));
  const kept = present.map((one) => {
    const again = added.find((other) => sameEndpoint(one.url, other.url));
    if (again === undefined) return one;
    return { ...one, enabled: true, ...(again.source === undefined ? {} : { source: again.source }) };
  });
  await write([...kept, ...fresh]);
}

function named({ url, headers = {}, cert }: EndpointSetting): Contact {
  return { url, headers, ...(cert === undefined ? {} : { certificate: cert }) };
}

/** @throws UserError as `saveEndpoints`. */
export async function forgetEndpoint(url: string): Promise<void> {
  await write(readSetting(SETTINGS.endpoints).filter((one) => !sameEndpoint(one.url, url)));
}

/** Whether the settings list an endpoint, however its URL is written. */
export function isSaved(url: string): boolean {
  return readSetting(SETTINGS.endpoints).some((one) => sameEndpoint(one.url, url));
}

/** `enabled` is written only where it says something. */
async function write(endpoints: readonly EndpointSetting[]): Promise<void> {
  const plain = endpoints.map(({ enabled, ...rest }) => ({ ...rest, ...(enabled ? {} : { enabled }) }));
  await workspace.getConfiguration().update(SETTINGS.endpoints.key, plain, target());
}
