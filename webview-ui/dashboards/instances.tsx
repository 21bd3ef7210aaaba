import { t } from "@vscode/l10n";
import { useMemo, useRef, useState } from "preact/hooks";
import { formatValue, splitValue } from "../../src/core/catalog/display.js";
import type { InstanceTable } from "../../src/protocol/index.js";
import { Unanswered } from "../components/message.js";
import { Select } from "../components/choice.js";
import { groupBy } from "../../src/core/math/index.js";
import { plural } from "../../src/core/text/plural.js";
import { endpointNames, cellUnit, statisticName } from "../format/text.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { TextGroup } from "../shorten/text-group.js";
import { useAnswer, useInSight, useView, useFold } from "../state/context.js";
import { digits, type ChosenWidths, type GridColumn, numberRoom, ShownNumber } from "../tables/columns.js";
import { Grid } from "../tables/grid.js";
import { useSortedRows, type Sorting } from "../tables/table-state.js";
import { CourseGrid } from "./heat-images.js";
import { deviations, type Deviation } from "./deviation.js";

const REFRESH_MS = 5000;

/** The endpoints of one kind side by side: key metrics as columns, cells shaded by how far they are from the median. */
export function Instances({ server, title }: { readonly server: string; readonly title: string }) {
  const box = useRef<HTMLDivElement>(null);
  const inSight = useInSight(box);
  const live = useAnswer("instances", { server }, REFRESH_MS, { keep: true, inSight });
  const table = live.latest.value;
  return (
    <div class="instances" ref={box}>
      {table !== undefined && table.columns.length > 0 && (
        <>
          <InstanceGrid table={table} title={title} />
          <Courses server={server} table={table} />
        </>
      )}
      <Unanswered live={live} what={t("instances")} />
    </div>
  );
}

/** From so many on, those that deviate most come first: they are who is looked for. */
const MANY = 10;

interface Instance {
  readonly url: string;
  readonly values: readonly number[];
  readonly marks: readonly Deviation[];
}

/** Marks compare an endpoint with those of its role. @param roleOf undefined where no roles are told apart */
function instancesOf(
  { columns, endpoints, values }: InstanceTable,
  roleOf: (url: string) => string | undefined,
): readonly Instance[] {
  const valueAt = (e: number, c: number) => values[e * columns.length + c] ?? NaN;
  const pools = [...groupBy([...endpoints.keys()], (e) => roleOf(endpoints[e] ?? "")).values()];
  const marks = columns.map((_, c) => {
    const column: Deviation[] = [];
    for (const pool of pools) {
      const own = deviations(pool.map((e) => valueAt(e, c)));
      pool.forEach((e, i) => (column[e] = own[i] ?? { level: 0, relative: NaN }));
    }
    return column;
  });
  const rows = endpoints.map((url, e) => ({
    url,
    values: columns.map((_, c) => valueAt(e, c)),
    marks: marks.flatMap((column) => column[e] ?? []),
  }));
  const oddness = ({ marks: own }: Instance) => own.reduce((sum, { level }) => sum + level * level, 0);
  return rows.length < MANY ? rows : rows.sort((a, b) => oddness(b) - oddness(a));
}

function InstanceGrid({ table, title }: { readonly table: InstanceTable; readonly title: string }) {
  const { run, layout } = useView();
  const [sorting, setSorting] = useState<Sorting>();
  const [widths, setWidths] = useState<ChosenWidths>({});
  const roleOf = (url: string) => run.header.peek()?.endpoints.find((one) => one.url === url)?.role;
  const rows = useMemo(() => instancesOf(table, roleOf), [table]);
  const names = useMemo(() => {
    const host = endpointNames(table.endpoints, run.header.peek()?.endpoints);
    return (url: string) => [host(url), roleOf(url)].filter((part) => part !== undefined).join(" · ");
  }, [table]);
  const nameOf = ({ url }: Instance) => names(url);
  const group = useMemo(() => new TextGroup(() => table.endpoints.map(names)), [table]);
  const narrow = ({ url }: Instance) => layout.set({ only: url });
  const columns = useMemo(
    (): readonly GridColumn<Instance>[] => [
      {
        key: "endpoint",
        title: t("Endpoint"),
        kind: "text",
        order: nameOf,
        room: { head: 9, needs: (row) => nameOf(row).length, least: 30, most: 60 },
        titleOf: ({ url }) => t`${url}\nShow only this endpoint`,
        cell: (row) => (
          <button type="button" class="link" tabIndex={-1} onClick={() => narrow(row)}>
            <TruncatedText text={nameOf(row)} group={group} />
          </button>
        ),
      },
      ...table.columns.map((column, c) => metricColumn(column, c, () => layout.show(column.family))),
    ],
    [table],
  );
  const sorted = useSortedRows({ columns, rows }, undefined, sorting);
  return (
    <Grid
      name={t`Endpoints of ${title}`}
      class="instance-grid"
      columns={columns}
      rows={sorted}
      idOf={({ url }) => url}
      nameOf={nameOf}
      sorting={sorting}
      onSort={setSorting}
      widths={widths}
      onWidths={setWidths}
    />
  );
}

/**
 * A key metric; its cells are shaded by how far they are from the median of all endpoints of its role.
 * @param show goes to its chart
 */
function metricColumn(
  { id, title, family, statistic, unit, direction }: InstanceTable["columns"][number],
  at: number,
  show: () => void,
): GridColumn<Instance> {
  const valueOf = ({ values }: Instance) => values[at] ?? NaN;
  const markOf = ({ marks }: Instance) => marks[at] ?? { level: 0, relative: NaN };
  const heading = `${title}, ${statisticName(statistic).replace("/s", t("per s"))}`;
  const sign = (row: Instance) => (markOf(row).level < 2 ? "" : markOf(row).relative < 0 ? " ▼" : " ▲");
  return {
    key: id,
    title: heading,
    exposed: family,
    kind: "number",
    order: (row) => (Number.isNaN(valueOf(row)) ? undefined : valueOf(row)),
    room: {
      ...numberRoom("", (row) => {
        const shown = splitValue(valueOf(row), cellUnit(unit));
        return { ...shown, number: shown.number + sign(row) };
      }),
      head: twoLines(heading) + HEAD_MARGIN,
    },
    classOf: (row) => {
      const { level, relative } = markOf(row);
      const worse = direction !== "neutral" && relative > 0 === (direction === "down");
      return `deviates-${level}${level > 0 && worse ? t(" worse") : ""}`;
    },
    titleOf: (row) =>
      [
        ...(Number.isNaN(markOf(row).relative) ? [] : [t`${signed(markOf(row).relative)} from the median of its kind`]),
        t("Show its chart"),
      ].join("\n"),
    cell: (row) => (
      <button type="button" class="link" tabIndex={-1} onClick={show}>
        <ShownNumber value={valueOf(row)} unit={cellUnit(unit)} />
        {sign(row)}
      </button>
    ),
  };
}

/** Bold, and the arrow of the sorted column. */
const HEAD_MARGIN = 2.5;

/** How much room a heading needs to stand on two lines at the most, in widths of a digit. */
function twoLines(heading: string): number {
  const words = heading.split(" ");
  const broken = words.map((_, i) => Math.max(digits(words.slice(0, i).join(" ")), digits(words.slice(i).join(" "))));
  return Math.min(...broken);
}

function signed(share: number): string {
  return `${share < 0 ? "−" : "+"}${formatValue(Math.abs(share), "ratio")}`;
}

/** One metric of all endpoints over time, asked for when it is opened. */
function Courses({ server, table }: { readonly server: string; readonly table: InstanceTable }) {
  const fold = useFold(`courses ${server}`, false);
  const [chosen, setChosen] = useState<string>();
  const metric = table.columns.find(({ id }) => id === chosen) ?? table.columns[0];
  return (
    <details class="fold" {...fold}>
      <summary>
        {t("Over time")}{" "}
        <span class="muted">{t`${plural(table.endpoints.length, t("endpoint"), t("endpoints"))} × time of one metric`}</span>
      </summary>
      {fold.open && metric !== undefined && (
        <>
          <Select
            label={t("Metric of the heatmap")}
            value={metric.id}
            options={table.columns.map(({ id, title, statistic }) => ({
              value: id,
              text: `${title}, ${statisticName(statistic)}`,
            }))}
            onSelect={setChosen}
          />
          <CourseGrid key={metric.id} server={server} metric={metric} />
        </>
      )}
    </details>
  );
}
