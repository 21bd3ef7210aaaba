import { t } from "@vscode/l10n";
import type { EndpointCommand, EndpointStatus, RunHeader } from "../../src/protocol/index.js";
import { ENDPOINT_COMMANDS } from "../../src/protocol/view-requests.js";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { ProblemLine } from "../components/message.js";
import { isSilent } from "../dashboards/kinds.js";
import { groupBy } from "../../src/core/math/index.js";
import { plural } from "../../src/core/text/plural.js";
import { elideMiddle, useTextGroup } from "../shorten/text-group.js";
import { formatValue } from "../../src/core/catalog/display.js";
import type { RunningAction } from "../state/action.js";
import { useView } from "../state/context.js";
import { urgentProblems } from "./notes.js";
import { endpointLook } from "./state.js";

interface EndpointsProps {
  readonly header: RunHeader;
  readonly action: RunningAction;
}

/** Every endpoint with its state; what is wrong stands beneath it with its remedy. Several alike are a line to open. */
export function Endpoints(props: EndpointsProps) {
  const { header } = props;
  const groups = groupBy(header.endpoints, (endpoint) =>
    endpoint.answeredUntil === undefined ? endpointLook(endpoint, header).text : t("that fell silent"),
  );
  return (
    <>
      {[...groups].map(([text, alike]) => {
        const [first] = alike;
        if (first === undefined || alike.length === 1) return null;
        const { icon, tone } = endpointLook(first, header);
        return (
          // What can be done about those that fail is in sight.
          <details key={text} class="fold endpoints-up" open={header.state === "capturing" && isSilent(first)}>
            <summary>
              <Icon name={icon} class={`tone-${tone}`} /> {t`${alike.length} endpoints ${text}`}
            </summary>
            <EndpointList {...props} endpoints={alike} />
          </details>
        );
      })}
      <EndpointList {...props} endpoints={[...groups.values()].filter(({ length }) => length === 1).flat()} />
    </>
  );
}

interface EndpointListProps extends EndpointsProps {
  readonly endpoints: readonly EndpointStatus[];
}

function EndpointList({ endpoints, header, action }: EndpointListProps) {
  const { client } = useView().run;
  const group = useTextGroup(endpoints.map(({ displayName }) => displayName));
  if (endpoints.length === 0) return null;
  const commands = (endpoint: EndpointStatus) =>
    header.state === "capturing" &&
    isSilent(endpoint) && (
      <div class="endpoint-commands">
        {ENDPOINT_COMMANDS.map((command) => (
          <Button
            key={command}
            text={COMMAND_TITLES[command]}
            onClick={() => action.start(client.call("endpointCommand", { command, url: endpoint.url }))}
          />
        ))}
      </div>
    );
  return (
    <ul class="endpoints" aria-label={t("Endpoints")}>
      {endpoints.map((endpoint) => {
        const look = endpointLook(endpoint, header);
        return (
          <li key={endpoint.url} class="endpoint">
            <div class="endpoint-line" title={endpoint.url}>
              <span class={`endpoint-state tone-${look.tone}`}>
                <Icon name={look.icon} /> {look.text}
              </span>
              <span class="endpoint-name">{elideMiddle(endpoint.displayName, 44, group)}</span>
              {endpoint.label !== undefined && <span class="endpoint-label">{endpoint.label}</span>}
              <EndpointDetails endpoint={endpoint} />
            </div>
            {urgentProblems(endpoint.problems).map((problem, i) => (
              <ProblemLine key={problem.reason} problem={problem} action={i === 0 && commands(endpoint)} />
            ))}
          </li>
        );
      })}
    </ul>
  );
}

const COMMAND_TITLES: { readonly [C in EndpointCommand]: string } = {
  retry: t("Retry Now"),
  setHeaders: t("Set Headers…"),
  editUrl: t("Edit URL…"),
  remove: t("Remove"),
};

/** Its servers, what its scrapes cost and bring, and what is amiss. */
function EndpointDetails({ endpoint }: { readonly endpoint: EndpointStatus }) {
  const { servers, latencyMs, cost, families, series, failures, missedTicks } = endpoint;
  const wrong = [
    failures > 0 && plural(failures, t("failed scrape"), t("failed scrapes")),
    missedTicks > 0 && plural(missedTicks, t("missed tick"), t("missed ticks")),
  ];
  const parts = [
    servers.join(", "),
    latencyMs !== undefined && formatValue(latencyMs / 1000, "seconds"),
    cost && t`${formatValue(cost.bytes, "bytes")}, ${formatValue(cost.share, "ratio")} of the interval`,
    families > 0 &&
      plural(families, t("family"), t("families")) +
        (series === undefined ? "" : `, ${plural(series, t("series"), t("series"))}`),
  ];
  return (
    <span class="endpoint-details muted">
      {parts.map((part) => part && <span key={part}>{part}</span>)}
      {wrong.some(Boolean) && <span class="tone-warning">{wrong.filter(Boolean).join(", ")}</span>}
    </span>
  );
}
