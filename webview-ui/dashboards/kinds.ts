import { t } from "@vscode/l10n";
import { groupBy } from "../../src/core/math/index.js";
import type { EndpointStatus, StaticFact, Tile } from "../../src/protocol/index.js";

/** Kinds of servers in the order of the tiles; "" last: endpoints that answer and that no server is known of. */
export function kindsOf(
  endpoints: readonly Pick<EndpointStatus, "servers" | "families">[],
  tiles: readonly Pick<Tile, "server">[],
): readonly string[] {
  const present = new Set(endpoints.flatMap(({ servers }) => servers));
  const known = [...new Set([...tiles.map(({ server }) => server), ...present])].filter((server) =>
    present.has(server),
  );
  return endpoints.some(({ servers, families }) => servers.length === 0 && families > 0) ? [...known, ""] : known;
}

/** Models named in a line. */
const MODELS = 2;

/**
 * What is captured, in one line: "2 × vLLM, Llama-3.1-8B · Dynamo frontend". A model that the kind before has, too, is
 * not named again. Empty until an endpoint has answered.
 * @param facts "model" of each endpoint that tells it
 */
export function overviewLine(
  endpoints: readonly Pick<EndpointStatus, "url" | "servers" | "families" | "role">[],
  facts: readonly StaticFact[],
): string {
  let before: string | undefined;
  return kindsOf(endpoints, [])
    .map((server) => {
      const own = endpoints.filter(({ servers, families }) =>
        server === "" ? servers.length === 0 && families > 0 : servers.includes(server),
      );
      const urls = new Set(own.map(({ url }) => url));
      const models = new Set(
        facts.filter(({ name, endpointUrl }) => name === "model" && urls.has(endpointUrl)).map(({ value }) => value),
      );
      const name = server === "" ? t("Unknown server") : server;
      const named = modelNames([...models]).join(", ");
      // The kinds of one deployment mostly have one model.
      const again = named === before;
      before = named === "" ? before : named;
      const kind = `${own.length > 1 ? `${own.length} × ` : ""}${name}${poolsText(own)}`;
      return named === "" || again ? kind : `${kind}, ${named}`;
    })
    .join(" · ");
}

/** " (1 prefill, 2 decode)": the workers of a disaggregated deployment. */
function poolsText(own: readonly Pick<EndpointStatus, "role">[]): string {
  const pools = groupBy(
    own.filter(({ role }) => role !== undefined && role !== "frontend" && role !== "router"),
    ({ role }) => role ?? "",
  );
  const counted = [...pools].map(([role, { length }]) => (own.length > 1 ? `${length} ${role}` : role));
  return counted.length === 0 ? "" : ` (${counted.join(", ")})`;
}

type Answering = Pick<EndpointStatus, "state" | "answeredUntil">;

/** It fails, or is not asked any more; of a run that is over, it did not answer to the end. */
export function isSilent({ state, answeredUntil }: Answering): boolean {
  return state === "failing" || state === "disabled" || answeredUntil !== undefined;
}

/** "2 of 5 do not answer", in the past of a run that is over; "" where all do. */
export function silenceText(endpoints: readonly Answering[], over: boolean): string {
  const silent = endpoints.filter(isSilent).length;
  if (silent === 0) return "";
  const one = silent === 1;
  const verb = over ? (one ? t("was") : t("were")) : one ? t("does") : t("do");
  const which =
    endpoints.length === 1 ? "" : silent === endpoints.length ? t("all ") : t`${silent} of ${endpoints.length} `;
  return t`${which}${verb} not answer${over ? t("ing at the end") : ""}`;
}

function modelNames(models: readonly string[]): readonly string[] {
  // Organisations and folders before the name tell little; some servers write the same name in small letters.
  const short = models.map((model) => model.slice(model.lastIndexOf("/") + 1));
  const same = (a: string) => (b: string) => a.toLowerCase() === b.toLowerCase();
  const names = short.filter((name, i) => short.findIndex(same(name)) === i);
  return names.length > MODELS ? [...names.slice(0, MODELS), t`${names.length - MODELS} more models`] : names;
}
