import { homedir } from "node:os";
import path from "node:path";
import { workspace } from "vscode";
import { jsonEndpointsFile } from "../../files/json-endpoints.js";
import { readTls } from "../../files/tls.js";
import type { CaptureOptions, EndpointOptions, RemoteWriteOptions } from "../../protocol/index.js";
import type { EndpointHeaders } from "../headers.js";
import { SETTINGS } from "../settings/definitions.js";
import { sameEndpoint } from "../settings/endpoints.js";
import { readCollectSettings, readJournalLimitBytes, readSetting } from "../settings/read.js";
import type { ChosenEndpoint } from "./endpoint-items.js";

/** What the user decided for one capture. */
export interface CaptureRequest {
  readonly endpoints: readonly ChosenEndpoint[];
  readonly warmup: CaptureOptions["warmup"];
  /** "" for none. */
  readonly label: string;
}

/**
 * The endpoints with what is kept for them in the settings and the secret storage: headers, certificates, secrets
 * of queries. @throws UserError for a reference that leads nowhere; FileError for a certificate
 */
export async function withAccess(
  endpoints: readonly ChosenEndpoint[],
  headers: EndpointHeaders,
): Promise<readonly EndpointOptions[]> {
  const saved = [SETTINGS.endpoints, SETTINGS.stores].flatMap((list) =>
    readSetting(list).map((one) => ({ ...one, list: list.key })),
  );
  const authority = readSetting(SETTINGS.certificateAuthority);
  const secretParameters = readSetting(SETTINGS.secretParameters);
  const result: EndpointOptions[] = [];
  // One after the other: each may ask for a secret.
  for (const { url, label } of endpoints) {
    const setting = saved.find((one) => sameEndpoint(one.url, url));
    const written = setting === undefined ? {} : await headers.resolve(url, setting.headers ?? {}, setting.list);
    const all = { ...written, ...(await headers.get(url)) };
    const ca = [authority, setting?.ca ?? ""].filter((file) => file !== "").map(fileOf);
    const tls = await readTls({
      ca,
      ...(setting?.cert === undefined ? {} : { cert: fileOf(setting.cert) }),
      ...(setting?.key === undefined ? {} : { key: fileOf(setting.key) }),
    });
    result.push({
      url: await headers.withQuery(url),
      enabled: true,
      secretParameters,
      ...(label === undefined ? {} : { label }),
      ...(setting?.source === undefined ? {} : { source: setting.source }),
      ...(Object.keys(all).length === 0 ? {} : { headers: all }),
      ...(tls === undefined ? {} : { tls }),
    });
  }
  return result;
}

/** Paths of settings begin at the workspace, where there is one, or in the home folder (`~`). */
function fileOf(file: string): string {
  const folder = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  return /^~[\\/]/.test(file)
    ? path.join(homedir(), file.slice(2))
    : path.resolve(folder?.uri.fsPath ?? homedir(), file);
}

/** The store of the settings that captures are written to. @throws UserError for a setting that cannot be used */
export async function remoteWriteOptions(headers: EndpointHeaders): Promise<RemoteWriteOptions | undefined> {
  const url = readSetting(SETTINGS.remoteWrite);
  const [store] = url === "" ? [] : await withAccess([{ url, origin: "settings" }], headers);
  return store === undefined ? undefined : { store, labels: readSetting(SETTINGS.remoteWriteLabels) };
}

/**
 * The request with the settings in effect. @throws UserError for a setting that cannot be used, also one that only the
 * capture's end reads.
 */
export async function captureOptions(
  request: CaptureRequest,
  headers: EndpointHeaders,
  journalPath: string,
): Promise<CaptureOptions> {
  for (const setting of [SETTINGS.prefix, SETTINGS.outputFolder, SETTINGS.formats]) readSetting<unknown>(setting);
  const remoteWrite = await remoteWriteOptions(headers);
  const endpoints = await withAccess(request.endpoints, headers);
  const saved = readSetting(SETTINGS.endpoints).filter(({ events }) => events === true);
  const eventServers = endpoints.filter((_, i) => {
    const url = request.endpoints[i]?.url ?? "";
    return saved.some((one) => sameEndpoint(one.url, url));
  });
  return {
    ...(remoteWrite === undefined ? {} : { remoteWrite }),
    ...readCollectSettings(),
    endpoints,
    ...(eventServers.length === 0 ? {} : { eventServers }),
    warmup: request.warmup,
    sliceDurationSeconds: readSetting(SETTINGS.sliceDuration),
    journalPath,
    journalLimitBytes: readJournalLimitBytes(),
    jsonEndpointsPath: jsonEndpointsFile(),
    journalSync: readSetting(SETTINGS.journalSync),
    ...(request.label === "" ? {} : { label: request.label }),
  };
}
