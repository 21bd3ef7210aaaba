import { homedir } from "node:os";
import path from "node:path";
import { workspace, type Disposable } from "vscode";
import { readTls } from "../../files/tls.js";
import type { CaptureOptions, EndpointOptions, RemoteWriteOptions } from "../../protocol/index.js";
import type { Contact } from "../../collect/origin.js";
import type { EndpointHeaders } from "../headers.js";
import type { Origins } from "../origins.js";
import { SETTINGS } from "../settings/definitions.js";
import type { EndpointSetting } from "../settings/endpoint-setting.js";
import { sameEndpoint } from "../settings/endpoints.js";
import {
  isOfWorkspace,
  onSettings,
  openedFolder,
  readCollectSettings,
  readJournalLimitBytes,
  readProvenance,
  readSetting,
} from "../settings/read.js";
import type { ChosenEndpoint } from "./endpoint-items.js";

/** What the user decided for one capture. */
export interface CaptureRequest {
  readonly endpoints: readonly ChosenEndpoint[];
  readonly warmup: CaptureOptions["warmup"];
  /** "" for none. */
  readonly label: string;
}

/** Settings that name servers, by the origin of an endpoint. */
const NAMING = { settings: SETTINGS.endpoints, stores: SETTINGS.stores, remoteWrite: SETTINGS.remoteWrite } as const;

/** What somebody other than the user names of the endpoints: the server, or what is sent to it. */
function contactsOf(
  endpoints: readonly ChosenEndpoint[],
  settingOf: (url: string) => (EndpointSetting & { readonly isOfWorkspace: boolean }) | undefined,
): readonly Contact[] {
  return endpoints.flatMap(({ url, origin }) => {
    const setting = settingOf(url);
    const { headers, cert } = setting?.isOfWorkspace === true ? setting : {};
    const isNamed =
      origin === "file" ||
      ((origin === "settings" || origin === "stores" || origin === "remoteWrite") && isOfWorkspace(NAMING[origin]));
    if (!isNamed && headers === undefined && cert === undefined) return [];
    return {
      url,
      ...(headers === undefined ? {} : { headers }),
      ...(cert === undefined ? {} : { certificate: cert }),
      ...(origin === "remoteWrite" ? { isWrittenTo: true } : {}),
    };
  });
}

/**
 * The endpoints with what is kept for them in the settings and the secret storage: headers, certificates, secrets
 * of queries. The user is asked for what a workspace or a file names, before anything of it is read.
 * @param mayAsk false: what would have to be asked for is an error
 * @throws UserError "not-approved", or for a reference that leads nowhere, or for a certificate
 */
export async function withAccess(
  endpoints: readonly ChosenEndpoint[],
  headers: EndpointHeaders,
  mayAsk = true,
): Promise<readonly EndpointOptions[]> {
  const settingOf = savedSettings();
  const [ofFiles, others] = [true, false].map((isOfFile) =>
    contactsOf(
      endpoints.filter(({ origin }) => (origin === "file") === isOfFile),
      settingOf,
    ),
  );
  await headers.origins.require("file", ofFiles ?? [], mayAsk);
  await headers.origins.require("workspace", others ?? [], mayAsk);
  const authority = readSetting(SETTINGS.certificateAuthority);
  const secretParameters = readSetting(SETTINGS.secretParameters);
  const result: EndpointOptions[] = [];
  // One after the other: each may ask for a secret.
  for (const { url, label } of endpoints) {
    const setting = settingOf(url);
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

/** What the settings have for a URL. @throws UserError */
function savedSettings() {
  const saved = [SETTINGS.endpoints, SETTINGS.stores].flatMap((list) =>
    readSetting(list).map((one) => ({ ...one, list: list.key, isOfWorkspace: isOfWorkspace(list) })),
  );
  return (url: string) => saved.find((one) => sameEndpoint(one.url, url));
}

/**
 * Voids approvals of what the settings of this workspace no longer name, now and whenever they change: what comes back
 * is asked for again. An untrusted workspace hides its settings, and loses nothing.
 */
export function followApprovals(origins: Origins): Disposable {
  const follow = async () => {
    if (!workspace.isTrusted) return;
    try {
      const all = [
        ...readSetting(SETTINGS.endpoints).map(({ url }): ChosenEndpoint => ({ url, origin: "settings" })),
        ...readSetting(SETTINGS.stores).map(({ url }): ChosenEndpoint => ({ url, origin: "stores" })),
        ...writtenTo(),
      ];
      await origins.retain(contactsOf(all, savedSettings()));
    } catch {
      // Whoever uses the setting says what is wrong with it.
    }
  };
  void follow();
  return onSettings(Object.values(NAMING), () => void follow());
}

/** Paths of settings begin at the workspace, where there is one, or in the home folder (`~`). */
function fileOf(file: string): string {
  return /^~[\\/]/.test(file) ? path.join(homedir(), file.slice(2)) : path.resolve(openedFolder() ?? homedir(), file);
}

/** The store of the settings that captures are written to. @throws UserError for a setting that cannot be used */
export async function remoteWriteOptions(headers: EndpointHeaders): Promise<RemoteWriteOptions | undefined> {
  const [store] = await withAccess(writtenTo(), headers);
  return store === undefined ? undefined : { store, labels: readSetting(SETTINGS.remoteWriteLabels) };
}

function writtenTo(): readonly ChosenEndpoint[] {
  const url = readSetting(SETTINGS.remoteWrite);
  return url === "" ? [] : [{ url, origin: "remoteWrite" }];
}

/**
 * The request with the settings in effect.
 * @throws UserError "not-approved" as `withAccess`, or for a setting that cannot be used, also one that only the
 * capture's end reads
 */
export async function captureOptions(
  request: CaptureRequest,
  headers: EndpointHeaders,
  journalPath: string,
  mayAsk = true,
): Promise<CaptureOptions> {
  for (const setting of [SETTINGS.prefix, SETTINGS.outputFolder, SETTINGS.formats]) readSetting<unknown>(setting);
  // In one question with the endpoints.
  const all = await withAccess([...request.endpoints, ...writtenTo()], headers, mayAsk);
  const endpoints = all.slice(0, request.endpoints.length);
  const [store] = all.slice(request.endpoints.length);
  const saved = readSetting(SETTINGS.endpoints).filter(({ events }) => events === true);
  const eventServers = endpoints.filter((_, i) => {
    const url = request.endpoints[i]?.url ?? "";
    return saved.some((one) => sameEndpoint(one.url, url));
  });
  const provenance = readProvenance();
  return {
    ...(provenance === undefined ? {} : { provenance }),
    ...(store === undefined ? {} : { remoteWrite: { store, labels: readSetting(SETTINGS.remoteWriteLabels) } }),
    ...readCollectSettings(),
    endpoints,
    ...(eventServers.length === 0 ? {} : { eventServers }),
    warmup: request.warmup,
    sliceDurationSeconds: readSetting(SETTINGS.sliceDuration),
    window: readSetting(SETTINGS.window),
    journalPath,
    journalLimitBytes: readJournalLimitBytes(),
    journalSync: readSetting(SETTINGS.journalSync),
    ...(request.label === "" ? {} : { label: request.label }),
  };
}
