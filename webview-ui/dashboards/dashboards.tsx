import type { EndpointStatus, Tile } from "../../src/protocol/index.js";
import { Icon } from "../components/icon.js";
import { plural } from "../../src/core/text/plural.js";
import { hostOf, shortHosts } from "../format/text.js";
import { useLiveQuery, useView } from "../state/context.js";
import { useFold } from "../state/fold.js";
import { latestOf } from "../state/live-query.js";
import { Tiles } from "../tiles/tiles.js";
import { Instances } from "./instances.js";
import { kindsOf } from "./kinds.js";
import { Panels } from "./panels.js";

const REFRESH_MS = 3000;
/** Endpoints named in a section's line. */
const NAMED = 4;

/** A section for each kind of server: its key metrics, its panels, and its endpoints beside each other. */
export function Dashboards() {
  const { run } = useView();
  const only = run.only.value;
  const header = run.header.value;
  const endpoints = header?.endpoints ?? [];
  const shown = only === undefined ? endpoints : endpoints.filter(({ url }) => url === only);
  const tiles = run.tiles.value;
  return (
    <>
      {kindsOf(shown, tiles).map((server) => (
        <Kind
          key={server}
          server={server}
          endpoints={shown.filter(({ servers }) => (server === "" ? servers.length === 0 : servers.includes(server)))}
          tiles={tiles.filter((tile) => tile.server === server)}
          only={only}
          reading={header?.state === "opening"}
        />
      ))}
    </>
  );
}

/** Says that the view shows one endpoint, where it does, and leads back to all. */
export function Narrowed() {
  const { run, layout } = useView();
  const only = run.only.value;
  if (only === undefined) return null;
  return (
    <div class="narrowed" role="status">
      <Icon name="list-filter" /> Only <strong>{hostOf(only)}</strong>
      <vscode-button appearance="secondary" onClick={() => layout.dispatch({ kind: "narrow", endpointUrl: undefined })}>
        Show All Endpoints
      </vscode-button>
    </div>
  );
}

interface KindProps {
  readonly server: string;
  readonly endpoints: readonly EndpointStatus[];
  readonly tiles: readonly Tile[];
  readonly only: string | undefined;
  /** The file is still read: statistics of a part of it would look like those of the run. */
  readonly reading: boolean;
}

function Kind({ server, endpoints, tiles, only, reading }: KindProps) {
  const host = shortHosts(endpoints.map(({ url }) => url));
  const names = endpoints.map(({ label, url }) => label ?? host(url));
  const named = names.slice(0, NAMED).join(", ");
  const title = server !== "" ? server : endpoints.length > 1 ? "Unknown servers" : "Unknown server";
  const fold = useFold(`dashboard ${server}`, true);
  return (
    <details class="dashboard" {...fold} aria-label={title}>
      <summary class="dashboard-title">
        <h2>{title}</h2>
        <span class="muted" title={endpoints.map(({ label, displayName }) => label ?? displayName).join("\n")}>
          {names.length > NAMED ? `${plural(names.length, "endpoint")}: ${named}, …` : named}
        </span>
      </summary>
      <div class="dashboard-body">
        {only === undefined ? (
          <Tiles tiles={tiles} label={`Key metrics of ${title}`} />
        ) : (
          <TilesOf server={server} url={only} title={title} />
        )}
        {reading ? (
          <p class="muted">
            {endpoints.length > 1 ? "Endpoints and panels follow" : "Panels follow"} when the file has been read.
          </p>
        ) : (
          <>
            {server !== "" && endpoints.length > 1 && <Instances server={server} title={title} />}
            <Panels server={server} title={title} only={only} opened={tiles.length === 0} />
          </>
        )}
      </div>
    </details>
  );
}

/** The key metrics of one endpoint. */
function TilesOf({ server, url, title }: { readonly server: string; readonly url: string; readonly title: string }) {
  const { run } = useView();
  const live = useLiveQuery(`tiles ${url}`, REFRESH_MS, (abort) =>
    run.client.call("tiles", { endpointUrl: url }, abort),
  );
  const tiles = latestOf(live.state.value);
  return <Tiles tiles={(tiles ?? []).filter((tile) => tile.server === server)} label={`Key metrics of ${title}`} />;
}
