import { displayName, NS_PER_SECOND } from "../../model/index.js";
import { quoted } from "./quote.js";
import { conditions, labelColumns } from "./series.js";
import { QUERY_PERCENTILES, QUERY_QUANTILES, type CopiedQuery, type QueryFile, type QuerySubject } from "./types.js";

/** Python that leaves its answer in `result`. Parquet needs pyarrow. */
export function pandas(subject: QuerySubject, file: QueryFile): CopiedQuery {
  switch (file.format) {
    case "parquet":
      return { kind: "query", text: program([...parquetSamples(subject, file), ...ofSamples(subject, true)], subject) };
    case "jsonl":
    case "journal":
      if (subject.family.isInfo)
        return { kind: "none", reason: "Info metrics stand in a JSONL's metadata, not among its samples." };
      return { kind: "query", text: program([...lineSamples(subject, file), ...ofSamples(subject, false)], subject) };
    case "json":
      return { kind: "query", text: program(storedSeries(subject, file), subject) };
    case "csv":
      return { kind: "query", text: program(csvSection(subject, file), subject) };
    case "earlier-csv":
    case "earlier-json":
    case "scrape-log":
    case "metric-dump":
    case "client":
    case "exposition":
      return { kind: "none", reason: "pandas does not read this layout: export the run as Parquet first." };
  }
}

function program(lines: readonly string[], { family }: QuerySubject): string {
  const text = lines.join("\n");
  const modules = ["gzip", "io", "json", "re"].filter((name) => new RegExp(`\\b${name}\\.`).test(text));
  return [
    ...modules.map((name) => `import ${name}`),
    "import pandas as pd",
    "",
    `metric = ${quoted(family.name)}`,
    text,
    "print(result)",
    "",
  ].join("\n");
}

function seriesColumns(subject: QuerySubject): string {
  return `series = [${["endpoint_url", ...labelColumns(subject)].map(quoted).join(", ")}]`;
}

/** Rows of the chosen series of `frame`. */
function chosenRows(subject: QuerySubject, frame: string): string[] {
  const chosen = conditions(subject, labelColumns(subject)).map(({ endpointUrl, labels }) =>
    [
      `(${frame}["endpoint_url"] == ${quoted(endpointUrl)})`,
      ...labels.map(([name, value]) =>
        value === undefined ? `${frame}[${quoted(name)}].isna()` : `(${frame}[${quoted(name)}] == ${quoted(value)})`,
      ),
    ].join(" & "),
  );
  return chosen.length === 0
    ? []
    : [
        `${frame} = ${frame}[${chosen.length === 1 ? (chosen[0] ?? "") : chosen.map((one) => `(${one})`).join("\n    | ")}]`,
      ];
}

function parquetSamples(subject: QuerySubject, { path }: QueryFile): string[] {
  const reference = subject.family.type === "counter" || subject.family.type === "histogram";
  return [
    `path = ${quoted(path)}`,
    `samples = pd.read_parquet(path, filters=[("metric_name", "==", metric)])`,
    seriesColumns(subject),
    ...chosenRows(subject, "samples"),
    ...(reference
      ? [
          "import pyarrow.parquet as pq",
          "about = pq.read_metadata(path).metadata or {}",
          `# When the samples were taken that counters and buckets are relative to.`,
          `reference = json.loads(about.get(b"server_metrics.reference_timestamps_ns", b"{}"))`,
        ]
      : []),
  ];
}

/** A duplicate repeats the scrape before it; failures and events hold nothing. */
function lineSamples(subject: QuerySubject, { path, format }: QueryFile): string[] {
  const gzip = format === "journal" || /\.gz$/i.test(path);
  const histogram = subject.family.type === "histogram";
  return [
    "rows, latest, updated = [], {}, {}",
    `with ${gzip ? "gzip.open" : "open"}(${quoted(path)}, "rt", encoding="utf-8") as lines:`,
    "    for line in map(json.loads, lines):",
    `        url = line["endpoint_url"]`,
    `        if url == "" or line.get("error"):`,
    "            continue",
    `        if not line.get("duplicate", False):`,
    `            latest[url], updated[url] = line["metrics"].get(metric, []), line["timestamp_ns"]`,
    "        for sample in latest.get(url, []):",
    `            row = {**sample.get("labels", {}), "endpoint_url": url, "timestamp_ns": line["timestamp_ns"]}`,
    ...(histogram
      ? [
          `            for le, count in sample["buckets"].items():`,
          `                rows.append({**row, "bucket_le": le, "bucket_count": count, "count": sample["count"], "sum": sample["sum"]})`,
        ]
      : [
          `            if sample["value"] is not None:`,
          `                rows.append({**row, "value": sample["value"]})`,
        ]),
    "samples = pd.DataFrame(rows)",
    seriesColumns(subject),
    ...chosenRows(subject, "samples"),
  ];
}

function inWindow({ window: { start, end, exact } }: QuerySubject, frame: string, parquet: boolean): string[] {
  if (parquet && !exact) return [];
  // A window as recorded goes on to an endpoint's last update.
  const upper =
    end === undefined
      ? ""
      : exact || parquet
        ? ` & (${frame}["timestamp_ns"] <= ${end})`
        : ` & (${frame}["timestamp_ns"] <= ${frame}["endpoint_url"].map(updated).clip(lower=${end}))`;
  return [`${frame} = ${frame}[(${frame}["timestamp_ns"] >= ${start})${upper}]`];
}

const BY = "series, dropna=False";

function ofSamples(subject: QuerySubject, parquet: boolean): string[] {
  const { family, shows } = subject;
  const time = `assign(time=lambda d: pd.to_datetime(d["timestamp_ns"], utc=True))`;
  if (family.type === "gauge" || family.type === "unknown") {
    const window = inWindow(subject, "samples", parquet);
    if (shows === "course")
      return [...window, `result = samples.${time}.sort_values(series + ["timestamp_ns"])[["time", *series, "value"]]`];
    return [
      ...window,
      `values = samples.groupby(${BY})["value"]`,
      `result = values.agg(["mean", "min", "max", "std", "count"]).rename(columns={"mean": "avg"}).fillna({"std": 0})`,
      `result = result.join(values.quantile([${QUERY_PERCENTILES.map((p) => p / 100).join(", ")}]).unstack().set_axis([${QUERY_PERCENTILES.map((p) => `"p${p}"`).join(", ")}], axis=1))`,
    ];
  }
  const histogram = family.type === "histogram";
  const columns = histogram ? ["bucket_count", "count", "sum"] : ["value"];
  const lines = [
    `samples = samples.sort_values("timestamp_ns")`,
    `earlier = samples.groupby(${histogram ? `series + ["bucket_le"], dropna=False` : BY})`,
    "# What each sample adds to the one before it; after a restart all it has.",
    `for column in [${columns.map(quoted).join(", ")}]:`,
    `    before = earlier[column].shift()${parquet ? ".fillna(0)" : ""}`,
    `    samples[column + "_rise"] = (samples[column] - before).where(samples[column] >= before, samples[column]).where(before.notna(), 0)`,
    // An integer that may be missing: as a float it would lose its last digits.
    `samples["since"] = earlier["timestamp_ns"].shift().astype("Int64") if len(samples) else None`,
    ...(parquet
      ? [`samples["since"] = samples["since"].fillna(samples["endpoint_url"].map(reference).astype("Int64"))`]
      : []),
    ...inWindow(subject, "samples", parquet),
  ];
  if (!histogram) {
    if (shows === "course") {
      return [
        ...lines,
        `samples = samples[samples["since"].notna() & (samples["timestamp_ns"] > samples["since"])]`,
        `samples["rate"] = samples["value_rise"] / ((samples["timestamp_ns"] - samples["since"]).astype(float) / 1e9)`,
        `result = samples.${time}.sort_values(series + ["timestamp_ns"])[["time", *series, "rate"]]`,
      ];
    }
    return [
      ...lines,
      `samples["since"] = samples["since"].fillna(samples["timestamp_ns"])`,
      `result = samples.groupby(${BY}).agg(total=("value_rise", "sum"), first=("since", "min"), last=("timestamp_ns", "max"))`,
      `result["rate"] = result["total"] / ((result["last"] - result["first"]).astype(float) / 1e9)`,
      `result = result[["total", "rate"]]`,
    ];
  }
  const { window, sliceSeconds } = subject;
  const slice = Math.max(1, Math.round(sliceSeconds * NS_PER_SECOND));
  const course = shows === "course";
  return [
    ...lines,
    `samples["le"] = samples["bucket_le"].str.replace("+Inf", "inf").astype(float)`,
    ...(course
      ? [
          `samples = samples[samples["timestamp_ns"] > ${window.start}]`,
          `samples["slice"] = (samples["timestamp_ns"] - ${window.start} + ${slice} - 1) // ${slice} - 1`,
          `key = ["slice", *series]`,
        ]
      : ["key = series"]),
    `buckets = samples.groupby(key + ["le"], dropna=False)[["bucket_count_rise", "count_rise", "sum_rise"]].sum().reset_index("le")`,
    ...QUANTILE,
    `def row(group):`,
    `    count, total = group["count_rise"].iloc[0], group["sum_rise"].iloc[0]`,
    `    quantiles = {f"p{q * 100:g}": quantile(group["le"].tolist(), group["bucket_count_rise"].tolist(), q) for q in [${QUERY_QUANTILES.join(", ")}]}`,
    `    return pd.Series({"count": count, "sum": total, "avg": total / count if count else None, **quantiles})`,
    "result = buckets.groupby(level=key, dropna=False).apply(row)",
    ...(course
      ? [
          `result["time"] = pd.to_datetime(${window.start} + result.index.get_level_values("slice") * ${slice}, utc=True)`,
        ]
      : []),
  ];
}

/** Prometheus' histogram_quantile on sorted bounds and cumulative counts. */
const QUANTILE: readonly string[] = [
  "def quantile(bounds, counts, q):",
  "    rank = q * counts[-1]",
  "    if counts[-1] <= 0:",
  "        return None",
  "    i = next(i for i, count in enumerate(counts) if count >= rank)",
  "    if i == len(counts) - 1:",
  "        return bounds[i - 1]",
  "    if i == 0 and bounds[0] <= 0:",
  "        return bounds[0]",
  "    low, below = (0, 0) if i == 0 else (bounds[i - 1], counts[i - 1])",
  "    return low + (bounds[i] - low) * (rank - below) / (counts[i] - below)",
];

/** What a JSON artifact stores of each series: its statistics, or its slices. */
function storedSeries(subject: QuerySubject, { path }: QueryFile): string[] {
  const { family, shows } = subject;
  const load = [
    `with open(${quoted(path)}, encoding="utf-8") as file:`,
    `    stored = json.load(file)["metrics"][metric]["series"]`,
    seriesColumns(subject),
  ];
  const own = `{**dict.fromkeys(series), **one.get("labels", {}), "endpoint_url": one["endpoint_url"]}`;
  const filter = chosenRows(subject, "result");
  if (shows === "statistics")
    return [...load, `result = pd.DataFrame([{**${own}, **one["stats"]} for one in stored])`, ...filter];
  if (family.type !== "histogram") {
    return [
      ...load,
      `result = pd.DataFrame([{**${own}, **slice} for one in stored for slice in one.get("timeslices", [])])`,
      ...filter,
      `result["start"] = pd.to_datetime(result["start_ns"], utc=True)`,
    ];
  }
  return [
    ...load,
    ...QUANTILE,
    "def quantiles(buckets):",
    `    bounds = sorted((float(le.replace("+Inf", "inf")), count) for le, count in buckets.items())`,
    `    return {f"p{q * 100:g}": quantile([le for le, _ in bounds], [count for _, count in bounds], q) for q in [${QUERY_QUANTILES.join(", ")}]}`,
    `result = pd.DataFrame([{**${own}, **{key: slice[key] for key in ["start_ns", "count", "sum", "avg"]}, **quantiles(slice["buckets"])}`,
    `                       for one in stored for slice in one.get("timeslices", [])])`,
    ...filter,
    `result["start"] = pd.to_datetime(result["start_ns"], utc=True)`,
  ];
}

/** The rows of the metric in the one of the CSV's tables that has it. */
function csvSection(subject: QuerySubject, { path }: QueryFile): string[] {
  return [
    `with open(${quoted(path)}, encoding="utf-8", newline="") as file:`,
    '    sections = re.split(r"(?:\\r?\\n){2,}", file.read())',
    "tables = []",
    "for section in sections:",
    `    rows = "\\n".join(line for line in section.splitlines() if not line.startswith("#"))`,
    "    if rows:",
    // Words such as "0" and "NA" are values of labels too.
    `        tables.append(pd.read_csv(io.StringIO(rows), dtype=str, keep_default_na=False))`,
    `result = next(table[table["Metric"] == metric] for table in tables if "Metric" in table and (table["Metric"] == metric).any())`,
    ...chosenCsvRows(subject),
    `numbers = [name for name in result if name not in ("Endpoint", "Type", "Metric", "Unit", "Description", "Key", "Value", "buckets"${labelColumns(
      subject,
    )
      .map((name) => `, ${quoted(name)}`)
      .join("")})]`,
    "result = result.assign(**{name: pd.to_numeric(result[name]) for name in numbers})",
  ];
}

/** A CSV calls an endpoint by its display name, and an absent label is an empty cell. */
function chosenCsvRows(subject: QuerySubject): string[] {
  const columns = labelColumns(subject);
  const chosen = conditions(subject, columns).map(({ endpointUrl, labels }) =>
    [
      `(result["Endpoint"] == ${quoted(displayName(endpointUrl))})`,
      ...labels.map(([name, value]) => `(result[${quoted(name)}] == ${quoted(value ?? "")})`),
    ].join(" & "),
  );
  return chosen.length === 0 ? [] : [`result = result[${chosen.map((one) => `(${one})`).join("\n    | ")}]`];
}
