import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import type { EndpointStatus, Tile } from "../../src/protocol/index.js";
import { plural } from "../../src/core/text/plural.js";
import { shortHosts } from "../format/text.js";
import { useAnswer, useView, useFold } from "../state/context.js";
import { isLive, oneEndpoint } from "../state/run-store.js";
import { Tiles } from "../tiles/tiles.js";
import { Instances } from "./instances.js";
import { kindsOf, silenceText } from "./kinds.js";
import { Panels } from "./panels.js";
import { SilenceMark } from "./silence.js";

const REFRESH_MS = 3000;
/** Endpoints named in a section's line. */
const NAMED = 4;
/** With more, each is opened on demand. */
const FEW_KINDS = 3;

interface KindOfServer {
  /** Its name; "" for servers that are not known. */
  readonly server: string;
  readonly title: string;
  readonly endpoints: readonly EndpointStatus[];
  readonly tiles: readonly Tile[];
}

/** The kinds of servers that the view shows. */
function useKinds(): readonly KindOfServer[] {
  const { run } = useView();
  const only = run.only.value;
  const endpoints = run.header.value?.endpoints ?? [];
  const shown = only === undefined ? endpoints : endpoints.filter(({ url }) => only.urls.includes(url));
  const tiles = run.tiles.value;
  const kinds = kindsOf(shown, tiles);
  return (only !== undefined && kinds.includes(only.to) ? [only.to] : kinds).map((server) => {
    const own = shown.filter(({ servers }) => (server === "" ? servers.length === 0 : servers.includes(server)));
    return {
      server,
      title: server !== "" ? server : own.length > 1 ? t("Unknown servers") : t("Unknown server"),
      endpoints: own,
      tiles: tiles.filter((tile) => tile.server === server),
    };
  });
}

/** The key metrics of each kind of server. */
export function KeyMetrics() {
  const { endpointUrl } = oneEndpoint(useView().run.only.value);
  const kinds = useKinds();
  return (
    <>
      {kinds.map(({ server, tiles, ...kind }) => (
        <Kind key={server} kind={kind} fold={`dashboard ${server}`} open={kinds.length <= FEW_KINDS}>
          {endpointUrl === undefined ? (
            <Tiles tiles={tiles} label={t`Key metrics of ${kind.title}`} />
          ) : (
            <TilesOf server={server} url={endpointUrl} title={kind.title} />
          )}
        </Kind>
      ))}
    </>
  );
}

/** Of each kind of server its endpoints beside each other, and its panels. */
export function Servers() {
  const { run } = useView();
  const only = run.only.value;
  const kinds = useKinds();
  // Statistics of a part of a file would look like those of the run.
  if (run.header.value?.state === "opening")
    return <p class="muted">{t("Endpoints and panels follow when the file has been read.")}</p>;
  return (
    <>
      {kinds.map(({ server, title, endpoints }) => (
        <Kind key={server} kind={{ title, endpoints }} fold={`servers ${server}`} open={kinds.length <= FEW_KINDS}>
          {server !== "" && endpoints.length > 1 && <Instances server={server} title={title} />}
          <Panels server={server} title={title} only={only} />
        </Kind>
      ))}
    </>
  );
}

interface KindProps {
  readonly kind: Pick<KindOfServer, "title" | "endpoints">;
  /** What it is remembered by, and whether it is open at first. */
  readonly fold: string;
  readonly open: boolean;
  readonly children: ComponentChildren;
}

function Kind({ kind: { title, endpoints }, fold: name, open, children }: KindProps) {
  const host = shortHosts(endpoints.map(({ url }) => url));
  const names = endpoints.map(({ label, url }) => label ?? host(url));
  const named = names.slice(0, NAMED).join(", ");
  const fold = useFold(name, open);
  const header = useView().run.header.value;
  return (
    <details class="dashboard" {...fold} aria-label={title}>
      <summary class="dashboard-title">
        <h2>{title}</h2>
        <span class="muted" title={endpoints.map(({ label, displayName }) => label ?? displayName).join("\n")}>
          {names.length > NAMED ? `${plural(names.length, t("endpoint"), t("endpoints"))}: ${named}, …` : named}
        </span>
        <SilenceMark text={silenceText(endpoints, header === undefined || !isLive(header))} />
      </summary>
      {fold.open && <div class="dashboard-body">{children}</div>}
    </details>
  );
}

/** The key metrics of one endpoint. */
function TilesOf({ server, url, title }: { readonly server: string; readonly url: string; readonly title: string }) {
  const tiles = useAnswer("tiles", { endpointUrl: url }, REFRESH_MS).latest.value;
  return <Tiles tiles={(tiles ?? []).filter((tile) => tile.server === server)} label={t`Key metrics of ${title}`} />;
}
