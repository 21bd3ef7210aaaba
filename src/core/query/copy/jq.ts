import { NS_PER_SECOND } from "../../model/index.js";
import { shellWord } from "../../text/shell-word.js";
import {
  quoted,
  conditions,
  QUERY_PERCENTILES,
  QUERY_QUANTILES,
  type CopiedQuery,
  type QueryFile,
  type QuerySubject,
} from "./subject.js";

/** A shell command; its program keeps the samples of the series asked about, not the file. */
export function jq(subject: QuerySubject, file: QueryFile): CopiedQuery {
  switch (file.format) {
    case "jsonl":
    case "journal": {
      if (subject.family.isInfo)
        return { kind: "none", reason: "Info metrics stand in a JSONL's metadata, not among its samples." };
      const program = shellWord(`\n${ofLines(subject)}\n`);
      const gzip = file.format === "journal" || /\.gz$/i.test(file.path);
      return {
        kind: "query",
        text: gzip
          ? `gzip -dc ${shellWord(file.path)} | jq -nc ${program}\n`
          : `jq -nc ${program} ${shellWord(file.path)}\n`,
      };
    }
    case "json":
      return { kind: "query", text: `jq -c ${shellWord(`\n${ofDocument(subject)}\n`)} ${shellWord(file.path)}\n` };
    case "earlier-json":
    case "earlier-csv":
      return { kind: "none", reason: "There is no query for this earlier layout." };
    case "parquet":
    case "csv":
    case "scrape-log":
    case "metric-dump":
    case "client":
    case "snapshot":
      return { kind: "none", reason: "jq reads JSON: take the JSON or JSONL file of the run." };
  }
}

function seriesFilter(subject: QuerySubject): string {
  const names = [...new Set(subject.all.flatMap(({ labels }) => labels.map(([name]) => name)))];
  const wanted = conditions(subject, names).map(({ endpointUrl, labels }) => {
    const own = labels
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${quoted(name)}: ${quoted(value ?? "")}`);
    return `(.endpoint_url == ${quoted(endpointUrl)} and (.labels // {}) == {${own.join(", ")}})`;
  });
  return wanted.length === 0 ? "" : ` | select(${wanted.join("\n    or ")})`;
}

/** Prometheus' histogram_quantile, on a list of cumulative buckets sorted by their bounds. */
const QUANTILE = `def quantile($q): . as $b | (.[-1].count * $q) as $rank | (map(.count >= $rank) | index(true)) as $i
  | if .[-1].count <= 0 then null
    elif $i == length - 1 then .[$i - 1].le
    elif $i == 0 and .[0].le <= 0 then .[0].le
    else (if $i == 0 then {le: 0, count: 0} else .[$i - 1] end) as $low
      | $low.le + (.[$i].le - $low.le) * ($rank - $low.count) / (.[$i].count - $low.count) end;
def bounds: to_entries | map({le: (if .key == "+Inf" then infinite else (.key | tonumber) end), count: .value}) | sort_by(.le);
`;
const QUANTILES = QUERY_QUANTILES.map((q) => `p${q * 100}: quantile(${q})`).join(", ");

/** One scrape of one endpoint per line. A duplicate repeats the scrape before it; failures and events hold nothing. */
function ofLines(subject: QuerySubject): string {
  const { family, shows, window } = subject;
  const { start, end, exact } = window;
  // A window as recorded goes on to the last update.
  const upper = end === undefined ? "" : exact ? ` and .t <= ${end}` : ` and .t <= ([${end}, $last] | max)`;
  const inside = `.t >= ${start}${upper}`;
  const samples = `def samples: foreach (inputs | select(.endpoint_url != "" and .error == null)) as $line ({};
    if $line.duplicate then . else .[$line.endpoint_url] = ($line.metrics[${quoted(family.name)}] // []) end;
    (.[$line.endpoint_url] // [])[] + {t: $line.timestamp_ns, duplicate: ($line.duplicate // false), endpoint_url: $line.endpoint_url})
  | .labels = (.labels // {})${seriesFilter(subject)};
`;
  const each = `[samples] | group_by([.endpoint_url, .labels])[] | sort_by(.t) | {endpoint_url: .[0].endpoint_url, labels: .[0].labels} as $series\n  | (map(select(.duplicate | not).t) | max) as $last | `;
  const scalar = family.type !== "histogram";
  const numbers = scalar ? "map(select(.value != null)) | " : "";
  const show = shows === "statistics";
  if (family.type === "gauge" || family.type === "unknown") {
    if (!show)
      return `${samples}${each}.[] | select(.value != null and ${inside}) | {timestamp_ns: .t} + $series + {value}`;
    return `${samples}def percentile($p): ((length - 1) * $p) as $r | ($r | floor) as $i | .[$i] + ((.[$i + 1] // .[$i]) - .[$i]) * ($r - $i);
${each}map(select(.value != null and ${inside}).value) | sort | select(length > 0)
  | (add / length) as $avg
  | $series + {avg: $avg, min: .[0], max: .[-1], std: (if length > 1 then (map(. - $avg | . * .) | add) / (length - 1) | sqrt else 0 end),
      ${QUERY_PERCENTILES.map((p) => `p${p}: percentile(${p / 100})`).join(", ")}, samples: length}`;
  }
  // What each sample adds to the one before it; after a restart all it has.
  const steps = "range(length) as $i | .[$i] + {before: (if $i > 0 then .[$i - 1] else null end)}";
  const rise =
    "def rise($now; $before): if $before == null then 0 elif $now < $before then $now else $now - $before end;\n";
  if (scalar) {
    const counted = `${samples}${rise}${each}${numbers}[${steps} | select(${inside})] | select(length > 0)`;
    if (!show)
      return `${counted} | .[] | select(.before != null and .t > .before.t)\n  | {timestamp_ns: .t} + $series + {rate: (rise(.value; .before.value) / ((.t - .before.t) / 1e9))}`;
    return `${counted}\n  | (map(rise(.value; .before.value)) | add) as $total | (((.[-1].t) - (.[0].before.t // .[0].t)) / 1e9) as $seconds\n  | $series + {total: $total, rate: (if $seconds > 0 then $total / $seconds else 0 end)}`;
  }
  const summed = `def total: . as $steps | {count: (map(rise(.count; .before.count)) | add), sum: (map(rise(.sum; .before.sum)) | add),
    buckets: (.[0].buckets | keys_unsorted | map(. as $le | {key: $le, value: ($steps | map(rise(.buckets[$le] // 0; .before.buckets[$le])) | add)}) | from_entries)};
`;
  const shown = `{count, sum, avg: (if .count > 0 then .sum / .count else null end)} + (.buckets | bounds | {${QUANTILES}})`;
  const program = `${samples}${rise}${QUANTILE}${summed}${each}[${steps} | select(${inside})] | select(length > 0)`;
  if (show) return `${program} | total\n  | $series + ${shown}`;
  const slice = Math.max(1, Math.round(subject.sliceSeconds * NS_PER_SECOND));
  return `${program}\n  | map(select(.t > ${start})) | group_by((.t - ${start}) / ${slice} | ceil)[]\n  | (((.[0].t - ${start}) / ${slice} | ceil) - 1) as $slice | total\n  | {slice: $slice, start_seconds: ($slice * ${slice} / 1e9)} + $series + ${shown}`;
}

/** What a JSON artifact stores of each series: its statistics, or its slices. */
function ofDocument(subject: QuerySubject): string {
  const { family, shows } = subject;
  const series = `.metrics[${quoted(family.name)}].series[]${seriesFilter(subject)}`;
  const own = "{endpoint_url, labels: (.labels // {})}";
  if (shows === "statistics") return `${series} | ${own} + .stats`;
  if (family.type !== "histogram")
    return `${series} | ${own} as $series | (.timeslices // [])[] | {start_ns, end_ns} + $series + del(.start_ns, .end_ns)`;
  return `${QUANTILE}${series} | ${own} as $series | (.timeslices // [])[]\n  | {start_ns, end_ns} + $series + {count, sum, avg} + (.buckets | bounds | {${QUANTILES}})`;
}
