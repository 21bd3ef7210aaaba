import type { CaptureOptions, EndpointOptions } from "../../protocol/index.js";
import type { EndpointHeaders } from "../headers.js";
import { SETTINGS } from "../settings/definitions.js";
import { readCollectSettings, readJournalLimitBytes, readSetting } from "../settings/read.js";
import type { ChosenEndpoint } from "./endpoint-items.js";

/** What the user decided for one capture. */
export interface CaptureRequest {
  readonly endpoints: readonly ChosenEndpoint[];
  readonly warmup: CaptureOptions["warmup"];
  /** "" for none. */
  readonly label: string;
}

/** The endpoints with the headers kept for them. */
export async function withHeaders(
  endpoints: readonly ChosenEndpoint[],
  headers: EndpointHeaders,
): Promise<readonly EndpointOptions[]> {
  return Promise.all(
    endpoints.map(async ({ url, label }) => {
      const own = await headers.get(url);
      return {
        url,
        enabled: true,
        ...(label === undefined ? {} : { label }),
        ...(Object.keys(own).length === 0 ? {} : { headers: own }),
      };
    }),
  );
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
  return {
    ...readCollectSettings(),
    endpoints: await withHeaders(request.endpoints, headers),
    warmup: request.warmup,
    sliceDurationSeconds: readSetting(SETTINGS.sliceDuration),
    journalPath,
    journalLimitBytes: readJournalLimitBytes(),
    journalSync: readSetting(SETTINGS.journalSync),
    ...(request.label === "" ? {} : { label: request.label }),
  };
}
