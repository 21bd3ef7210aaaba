import { useMemo, useRef, useState } from "preact/hooks";
import { formatValue } from "../../src/core/catalog/display.js";
import type { InstanceTable } from "../../src/protocol/index.js";
import { FailedRequest, Loading } from "../components/message.js";
import { Select } from "../components/select.js";
import { hostOf, plural } from "../format/text.js";
import { cellUnit } from "../format/unit.js";
import { useInSight, useLiveQuery, useView } from "../state/context.js";
import { useFold } from "../state/fold.js";
import { latestOf } from "../state/live-query.js";
import { statisticName } from "../tiles/statistic.js";
import { CourseGrid } from "./course-grid.js";
import { deviations } from "./deviation.js";

const REFRESH_MS = 5000;

/** The endpoints of one kind side by side: key metrics as columns, cells shaded by how far they are from the median. */
export function Instances({ server, title }: { readonly server: string; readonly title: string }) {
  const { run } = useView();
  const box = useRef<HTMLDivElement>(null);
  const inSight = useInSight(box);
  const live = useLiveQuery(
    `instances ${server}`,
    REFRESH_MS,
    (abort) => run.client.call("instances", { server }, abort),
    { keep: true, inSight },
  );
  const state = live.state.value;
  const table = latestOf(state);
  return (
    <div class="instances" ref={box}>
      {table !== undefined && table.columns.length > 0 && (
        <>
          <InstanceTableView table={table} title={title} />
          <Courses server={server} table={table} />
        </>
      )}
      {table === undefined && state.kind === "failed" && (
        <FailedRequest error={state.error} what="The instances could not be loaded" retry={live.retry} />
      )}
      {table === undefined && state.kind !== "failed" && <Loading what="instances" />}
    </div>
  );
}

interface Sorting {
  readonly column: number;
  readonly descending: boolean;
}

function InstanceTableView({ table, title }: { readonly table: InstanceTable; readonly title: string }) {
  const { run, layout } = useView();
  const [sorting, setSorting] = useState<Sorting>();
  const { columns, endpoints, values } = table;
  const marks = useMemo(
    () => columns.map((_, c) => deviations(endpoints.map((__, e) => values[e * columns.length + c] ?? NaN))),
    [table],
  );
  const valueAt = (e: number, c: number) => values[e * columns.length + c] ?? NaN;
  const order = [...endpoints.keys()];
  if (sorting !== undefined) {
    const sign = sorting.descending ? -1 : 1;
    order.sort((a, b) => {
      const [x, y] = [valueAt(a, sorting.column), valueAt(b, sorting.column)];
      return Number.isNaN(x) || Number.isNaN(y) ? Number(Number.isNaN(x)) - Number(Number.isNaN(y)) : sign * (x - y);
    });
  }
  const named = new Map(run.header.value?.endpoints.map(({ url, label }) => [url, label]));
  const sort = (column: number) =>
    setSorting({ column, descending: sorting?.column === column ? !sorting.descending : true });
  return (
    <div class="instance-scroll" tabIndex={0} role="group" aria-label={`Endpoints of ${title}`}>
      <table class="instance-table">
        <thead>
          <tr>
            <th scope="col">Endpoint</th>
            {columns.map(({ id, title: name, family, statistic }, c) => (
              <th
                key={id}
                scope="col"
                aria-sort={sorting?.column !== c ? undefined : sorting.descending ? "descending" : "ascending"}
              >
                <button type="button" class="instance-sort" title={`${family}\nSort by it`} onClick={() => sort(c)}>
                  {name} <span class="muted">{statisticName(statistic)}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {order.map((e) => {
            const url = endpoints[e] ?? "";
            return (
              <tr key={url}>
                <th scope="row">
                  <button
                    type="button"
                    class="link"
                    title={`${url}\nShow only this endpoint`}
                    onClick={() => layout.dispatch({ kind: "narrow", endpointUrl: url })}
                  >
                    {named.get(url) ?? hostOf(url)}
                  </button>
                </th>
                {columns.map(({ id, unit, direction, family }, c) => {
                  const { level, relative } = marks[c]?.[e] ?? { level: 0, relative: NaN };
                  const worse = direction !== "neutral" && relative > 0 === (direction === "down");
                  return (
                    <td
                      key={id}
                      class={`deviates-${level}${level > 0 && worse ? " worse" : ""}`}
                      title={
                        Number.isNaN(relative) ? undefined : `${signed(relative)} from the median of all endpoints`
                      }
                      onClick={() => layout.dispatch({ kind: "show", family })}
                    >
                      {formatValue(valueAt(e, c), cellUnit(unit))}
                      {level > 1 && (relative < 0 ? " ▼" : " ▲")}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function signed(share: number): string {
  return `${share < 0 ? "−" : "+"}${formatValue(Math.abs(share), "ratio")}`;
}

/** One metric of all endpoints over time, asked for when it is opened. */
function Courses({ server, table }: { readonly server: string; readonly table: InstanceTable }) {
  const fold = useFold(`courses ${server}`, false);
  const [chosen, setChosen] = useState<string>();
  const metric = chosen ?? table.columns[0]?.id ?? "";
  return (
    <details class="fold" {...fold}>
      <summary>
        Over time <span class="muted">{`${plural(table.endpoints.length, "endpoint")} × time of one metric`}</span>
      </summary>
      {fold.open && (
        <>
          <Select
            label="Metric of the heatmap"
            value={metric}
            options={table.columns.map(({ id, title, statistic }) => ({
              value: id,
              text: `${title}, ${statisticName(statistic)}`,
            }))}
            onSelect={setChosen}
          />
          <CourseGrid key={metric} server={server} metric={metric} />
        </>
      )}
    </details>
  );
}
