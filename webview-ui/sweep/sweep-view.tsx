import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { formatValue } from "../../src/core/catalog/display.js";
import { SWEEP_LATENCIES, SWEEP_STATISTICS } from "../../src/core/sweep/types.js";
import { estimateText, loadText, sweepColumns } from "../../src/core/sweep/report.js";
import { PlainTable } from "../components/plain-table.js";
import { ChannelClient, describeError } from "../../src/protocol/index.js";
import type { Sweep, SweepChoice, SweepPoint, SweepViewRequests } from "../../src/protocol/sweep.js";
import { webviewPort, type HostApi } from "../channel.js";

type Client = ChannelClient<SweepViewRequests, Record<string, never>>;
type State =
  | { readonly kind: "reading" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "read"; readonly folder: string; readonly sweep: Sweep };

/** A sweep with all that it rests on. */
export function sweepView(api: HostApi): VNode {
  const client: Client = new ChannelClient(webviewPort(api));
  const state = signal<State>({ kind: "reading" });
  const ask = (choice: SweepChoice) => {
    client.call("sweep", choice).then(
      (answer) => (state.value = { kind: "read", ...answer }),
      (error: unknown) => (state.value = { kind: "failed", message: describeError(error).message }),
    );
  };
  ask({});
  return <SweepView state={state} ask={ask} open={(path) => void client.call("openFile", { path })} />;
}

interface SweepViewProps {
  readonly state: { readonly value: State };
  readonly ask: (choice: SweepChoice) => void;
  readonly open: (path: string) => void;
}

function SweepView({ state, ask, open }: SweepViewProps) {
  const shown = state.value;
  if (shown.kind === "reading")
    return (
      <main class="sweep">
        <p role="status">Reading the runs…</p>
      </main>
    );
  if (shown.kind === "failed")
    return (
      <main class="sweep">
        <p role="alert">{shown.message}</p>
      </main>
    );
  const { folder, sweep } = shown;
  const { latency, statistic } = sweep;
  return (
    <main class="sweep">
      <h1>Throughput against latency</h1>
      <p class="muted">{folder}</p>
      <div class="sweep-choices">
        <label>
          Latency{" "}
          <select
            value={latency}
            onChange={({ currentTarget }) => {
              const chosen = SWEEP_LATENCIES.find((one) => one === currentTarget.value);
              if (chosen !== undefined) ask({ latency: chosen, statistic });
            }}
          >
            {SWEEP_LATENCIES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label>
          Statistic{" "}
          <select
            value={statistic}
            onChange={({ currentTarget }) => {
              const chosen = SWEEP_STATISTICS.find((one) => one === currentTarget.value);
              if (chosen !== undefined) ask({ latency, statistic: chosen });
            }}
          >
            {SWEEP_STATISTICS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      </div>
      <SweepChart sweep={sweep} open={open} />
      <SweepTable sweep={sweep} open={open} />
      {sweep.skipped.map(({ path, reason }) => (
        <p key={path} class="muted">{`Left out: ${path}: ${reason}`}</p>
      ))}
    </main>
  );
}

interface SweepParts {
  readonly sweep: Sweep;
  readonly open: (path: string) => void;
}

const WIDTH = 800;
const HEIGHT = 360;
const LEFT = 90;
const BOTTOM = 40;
const COLORS = ["blue", "orange", "green", "purple", "red", "yellow"];

/** Latency to the right, throughput upwards; whiskers are 95 % intervals, rings the frontier, squares knees. */
function SweepChart({ sweep, open }: SweepParts) {
  const points = sweep.series.flatMap((series) => series.points);
  if (points.length === 0) return <p>No run has both a throughput and a latency.</p>;
  const most = (valueOf: (point: SweepPoint) => number) => Math.max(...points.map(valueOf)) * 1.05;
  const right = most(({ latency }) => latency.value);
  const top = most(({ throughput }) => throughput.value);
  const x = (value: number) => LEFT + (Math.min(value, right) / right) * (WIDTH - LEFT - 10);
  const y = (value: number) => HEIGHT - BOTTOM - (Math.min(Math.max(0, value), top) / top) * (HEIGHT - BOTTOM - 10);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return (
    <svg class="sweep-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label="Throughput against latency">
      {ticks.map((share) => (
        <g key={share} class="sweep-axis">
          <line x1={LEFT} x2={WIDTH - 10} y1={y(share * top)} y2={y(share * top)} />
          <text x={LEFT - 6} y={y(share * top) + 4} text-anchor="end">
            {formatValue(share * top, sweep.throughput.unit)}
          </text>
          <text x={x(share * right)} y={HEIGHT - BOTTOM + 18} text-anchor="middle">
            {formatValue(share * right, "seconds")}
          </text>
        </g>
      ))}
      {sweep.series.map((series, s) => (
        <g key={series.configuration} style={{ color: `var(--vscode-charts-${COLORS[s % COLORS.length] ?? "blue"})` }}>
          <polyline
            class="sweep-line"
            points={series.points
              .map(({ latency, throughput }) => `${x(latency.value)},${y(throughput.value)}`)
              .join(" ")}
          />
          {series.points.map((point, i) => {
            const { latency, throughput, load, pareto, paths } = point;
            const name = `${series.configuration}, ${loadText(load)}: ${formatValue(throughput.value, sweep.throughput.unit)} at ${formatValue(latency.value, "seconds")}${i === series.knee ? ", knee" : ""}${pareto ? ", Pareto" : ""}`;
            const go = () => open(paths[0] ?? "");
            const [cx, cy] = [x(latency.value), y(throughput.value)];
            return (
              <g
                key={paths.join(" ")}
                class="sweep-point"
                role="button"
                tabIndex={0}
                aria-label={`Open the run of ${name}`}
                onClick={go}
                onKeyDown={({ key }) => {
                  if (key === "Enter" || key === " ") go();
                }}
              >
                <title>{name}</title>
                {throughput.interval !== undefined && (
                  <line x1={cx} x2={cx} y1={y(throughput.interval[0])} y2={y(throughput.interval[1])} />
                )}
                {latency.interval !== undefined && (
                  <line x1={x(latency.interval[0])} x2={x(latency.interval[1])} y1={cy} y2={cy} />
                )}
                {i === series.knee && <rect x={cx - 9} y={cy - 9} width={18} height={18} class="sweep-ring" />}
                {pareto && <circle cx={cx} cy={cy} r={7} class="sweep-ring" />}
                <circle cx={cx} cy={cy} r={4} />
              </g>
            );
          })}
        </g>
      ))}
    </svg>
  );
}

function SweepTable({ sweep, open }: SweepParts) {
  const columns = ["Configuration", ...sweepColumns(sweep).slice(0, 4), "Remark"];
  return (
    <PlainTable label="Points of the sweep" heads={columns}>
      {sweep.series.flatMap(({ configuration, points, knee }) =>
        points.map(({ load, throughput, latency, paths, pareto }, i) => (
          <tr key={paths.join(" ")}>
            <td>{configuration}</td>
            <th scope="row">
              <button type="button" class="link" title={paths.join("\n")} onClick={() => open(paths[0] ?? "")}>
                {loadText(load)}
              </button>
            </th>
            <td>{estimateText(throughput, sweep.throughput.unit)}</td>
            <td>{estimateText(latency, "seconds")}</td>
            <td>{paths.length}</td>
            <td>{[...(i === knee ? ["knee"] : []), ...(pareto ? ["Pareto"] : [])].join(", ")}</td>
          </tr>
        )),
      )}
    </PlainTable>
  );
}
