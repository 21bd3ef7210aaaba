import { t } from "@vscode/l10n";
import type { EndpointCommand, EndpointStatus } from "../../src/protocol/index.js";
import { ENDPOINT_COMMANDS } from "../../src/protocol/view-requests.js";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { ProblemLine } from "../components/message.js";
import { isSilent } from "../dashboards/kinds.js";
import { groupBy } from "../../src/core/math/index.js";
import { plural } from "../../src/core/text/plural.js";
import { elideMiddle, type TextGroup, useTextGroup } from "../shorten/text-group.js";
import { formatValue } from "../../src/core/catalog/display.js";
import type { RunningAction } from "../state/action.js";
import { useView } from "../state/context.js";
import { urgentProblems } from "./notes.js";
import { formatRelative, relativeSeconds } from "../format/time.js";
import { failureCounts, endpointLook } from "./state.js";

interface EndpointsProps {
  readonly endpoints: readonly EndpointStatus[];
  /** The run goes on: an endpoint can be tried again. */
  readonly capturing: boolean;
  readonly over: boolean;
  readonly action: RunningAction;
}

/** Every endpoint with its state; what is wrong stands beneath it with its remedy. Several alike are a line to open. */
export function Endpoints(props: EndpointsProps) {
  const { endpoints, over } = props;
  const groups = groupBy(endpoints, ({ state, answeredUntil }) =>
    answeredUntil === undefined ? endpointLook(state, over).text : t("that fell silent"),
  );
  return (
    <>
      {[...groups].map(([text, alike]) => {
        const [first] = alike;
        if (first === undefined || alike.length === 1) return null;
        const { icon, tone } = endpointLook(first.state, over, first.answeredUntil === undefined ? undefined : "");
        return (
          // What can be done about those that fail is in sight.
          <details key={text} class="fold endpoints-up" open={props.capturing && isSilent(first)}>
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

function EndpointList({ endpoints, ...shared }: EndpointsProps) {
  const group = useTextGroup(endpoints.map(({ displayName }) => displayName));
  if (endpoints.length === 0) return null;
  return (
    <ul class="endpoints" aria-label={t("Endpoints")}>
      {endpoints.map((endpoint) => (
        <Endpoint key={endpoint.url} endpoint={endpoint} group={group} {...shared} />
      ))}
    </ul>
  );
}

const COMMAND_TITLES: { readonly [C in EndpointCommand]: string } = {
  retry: t("Retry Now"),
  setHeaders: t("Set Headers…"),
  editUrl: t("Edit URL…"),
  remove: t("Remove"),
};

interface EndpointProps extends Omit<EndpointsProps, "endpoints"> {
  readonly endpoint: EndpointStatus;
  readonly group: TextGroup;
}

function Endpoint({ endpoint, group, capturing, over, action }: EndpointProps) {
  const { run } = useView();
  const { answeredUntil } = endpoint;
  const start = run.header.value?.profilingStart ?? 0;
  const until = answeredUntil === undefined ? undefined : formatRelative(relativeSeconds(answeredUntil, start));
  const look = endpointLook(endpoint.state, over, until);
  const wrong = failureCounts(endpoint.failures, endpoint.missedTicks);
  return (
    <li class="endpoint">
      <div class="endpoint-line" title={endpoint.url}>
        <span class={`endpoint-state tone-${look.tone}`}>
          <Icon name={look.icon} /> {look.text}
        </span>
        <span class="endpoint-name">{elideMiddle(endpoint.displayName, 44, group)}</span>
        {endpoint.label !== undefined && <span class="endpoint-label">{endpoint.label}</span>}
        <span class="endpoint-details muted">
          {[
            endpoint.servers.join(", "),
            endpoint.latencyMs === undefined ? "" : formatValue(endpoint.latencyMs / 1000, "seconds"),
            endpoint.cost === undefined
              ? ""
              : t`${formatValue(endpoint.cost.bytes, "bytes")}, ${formatValue(endpoint.cost.share, "ratio")} of the interval`,
            endpoint.families === 0
              ? ""
              : plural(endpoint.families, t("family"), t("families")) +
                (endpoint.series === undefined ? "" : `, ${plural(endpoint.series, t("series"), t("series"))}`),
            wrong,
          ]
            .filter((part) => part !== "")
            .map((part) => (
              <span key={part} class={part === wrong ? "tone-warning" : undefined}>
                {part}
              </span>
            ))}
        </span>
      </div>
      {urgentProblems(endpoint.problems).map((problem, i) => (
        <ProblemLine
          key={problem.reason}
          problem={problem}
          action={
            i === 0 &&
            capturing &&
            isSilent(endpoint) && (
              <div class="endpoint-commands">
                {ENDPOINT_COMMANDS.map((command) => (
                  <Button
                    key={command}
                    text={COMMAND_TITLES[command]}
                    onClick={() => action.start(run.client.call("endpointCommand", { command, url: endpoint.url }))}
                  />
                ))}
              </div>
            )
          }
        />
      ))}
    </li>
  );
}
