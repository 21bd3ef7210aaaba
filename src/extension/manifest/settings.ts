import { DEFAULT_THRESHOLDS } from "../../core/insights/thresholds.js";
import { ENDPOINT_SOURCES } from "../../core/model/index.js";
import { SETTINGS } from "../settings/definitions.js";
import type { Setting } from "../settings/setting.js";

/** What the settings editor says of a setting; type, default and limits are those of its definition. */
interface ShownSetting {
  readonly description: string;
  readonly scope?: "machine-overridable";
  /** What each of its values means, in their order. */
  readonly values?: readonly string[];
  /** What else its JSON schema says. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

const text = (description: string) => ({ type: "string", description });

/** A list of servers. */
function serverItems(label: string, url: string, about: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    items: {
      type: "object",
      required: ["url"],
      additionalProperties: false,
      defaultSnippets: [{ label, body: { url: `\${1:${url}}` } }],
      properties: {
        url: {
          ...text(about),
          pattern: "^\\s*(https?://)?(?!\\d+\\s*$)(?![a-zA-Z][a-zA-Z0-9+.-]*://)[^\\s/?#]+([/?#]\\S*)?\\s*$",
          patternErrorMessage: "Type host:port, or a URL that begins with http:// or https://.",
        },
        label: text("Name shown in place of the address."),
        ...more,
        headers: {
          type: "object",
          additionalProperties: { type: "string" },
          description:
            "Request headers. Secrets are named, not written: ${env:NAME} reads a variable of the environment, ${secret:NAME} is asked for once and kept in the secret storage.",
        },
        ca: text("PEM file of certificate authorities to trust in addition to the default ones."),
        cert: text("PEM file of the client's certificate, for servers that ask for one. Needs `key` too."),
        key: text("PEM file of the certificate's key."),
      },
    },
  };
}

/** A text is a description without more. */
const SHOWN: Readonly<Record<keyof typeof SETTINGS, string | ShownSetting>> = {
  endpoints: {
    description:
      "Metrics endpoints that a capture scrapes. The default scheme is `http`, the default path `/metrics`. When the list has an enabled endpoint, **Server Metrics: Start Capture** does not ask for one. Do not put tokens here: **Set Endpoint Headers** keeps them in the secret storage.",
    schema: serverItems(
      "Endpoint",
      "http://localhost:8000/metrics",
      "Metrics URL, such as localhost:8000 or https://host/metrics.",
      {
        enabled: {
          type: "boolean",
          default: true,
          description:
            "Whether captures scrape it. `false` also turns off the warning about an endpoint that serves no metrics.",
        },
        source: {
          type: "string",
          enum: ENDPOINT_SOURCES,
          enumDescriptions: [
            "An exposition in Prometheus' text format or OpenMetrics.",
            "Iteration statistics of TensorRT-LLM's trtllm-serve: JSON at /metrics. Reading takes them away from all other readers.",
          ],
          default: "prometheus",
          description: "What the endpoint answers.",
        },
        events: {
          type: "boolean",
          default: false,
          description:
            "Also records the requests (/perf_metrics) and KV-cache events of TensorRT-LLM's trtllm-serve as events beside the charts. Reading takes them away from all other readers.",
        },
      },
    ),
  },
  stores: {
    description: "Prometheus-compatible stores that **Open Run from Prometheus…** offers, with their headers.",
    schema: serverItems(
      "Store",
      "http://prometheus:9090",
      "Address as in Grafana's data source, such as http://prometheus:9090 or https://mimir/prometheus.",
    ),
  },
  remoteWrite:
    "Address of a Prometheus-compatible store to which every capture is also written while it runs (remote write 1.0). The default path is `/api/v1/write`. Its headers are those of the same address in `#serverMetrics.stores#`. Empty: no store.",
  remoteWriteLabels: {
    description:
      'Labels of all series that are written to `#serverMetrics.remoteWrite#`, such as `{ "cluster": "a100" }`. They are added to `run_id` and `label` (the capture\'s label), and replace labels of the same name.',
    schema: { additionalProperties: { type: "string" } },
  },
  startOnOpen:
    "Start a capture of the endpoints in `#serverMetrics.endpoints#` as soon as the window opens, without asking.",
  interval: "Time between two scrapes of an endpoint, in seconds or with a unit, such as `333ms`.",
  scrapeTimeout:
    "Time after which a scrape is given up and recorded as a gap, in seconds or with a unit, such as `500ms`.",
  reachabilityTimeout:
    "Time an endpoint has to answer when it is tested before a capture, in seconds or with a unit, such as `500ms`.",
  flushPeriod: "Longest wait for the final scrape at the end of a capture, in seconds or with a unit, such as `500ms`.",
  warmup: {
    description:
      "Warm-up suggested when a capture starts; it is left out of the statistics. In seconds or with a unit, such as `30s`; `manual` ends it with **Mark Profiling Start**.",
    schema: {
      pattern: "^\\s*(manual|(\\d+\\.?\\d*|\\.\\d+)\\s*(ms|s|m|min|h)?)\\s*$",
      patternErrorMessage: "A number of seconds up to 86400, a time such as 30s or 5m, or manual.",
    },
  },
  sliceDuration: "Length of a timeslice in tables and artifacts, in seconds or with a unit, such as `500ms` or `1m`.",
  window: {
    description:
      "What a capture measures. Everything is recorded either way: the header of its view switches between the two.",
    values: [
      "From the first to the last thing asked of the servers.",
      "From the start to the end of the capture, idle parts included.",
    ],
  },
  formats: {
    description: "Formats of the artifacts that are written when a capture ends.",
    values: [
      "Statistics and timeslices of every series.",
      "Statistics as tables, for a spreadsheet.",
      "Every scrape, lossless: a capture can be rebuilt from it.",
      "Every sample, for DuckDB, pandas, Polars.",
    ],
    schema: { minItems: 1, uniqueItems: true },
  },
  outputFolder: {
    scope: "machine-overridable",
    description:
      "Folder for the artifacts; each run gets a folder of its own in it. A relative path starts at the first workspace folder. Without a workspace you are asked for a folder once.",
  },
  prefix: {
    description:
      "Prefix of the artifacts' names: `batch-64` gives `batch-64_server_metrics.json`. Empty: `server_metrics_export.json`.",
    schema: {
      pattern: '^[^<>:"/\\\\|?*]*$',
      patternErrorMessage: 'A file name cannot contain any of < > : " / \\ | ? *',
    },
  },
  csvSafe:
    "Put an apostrophe before CSV cells that a spreadsheet would run as formulas, in artifacts, reports of comparisons and copied rows. These are cells that begin with `=`, `+`, `-` or `@` and are not numbers. An artifact records this, so that it opens here with its original labels.",
  summaryFile:
    "Write `summary.md` beside the artifacts of a capture: what ran, findings and key figures, for readers without this extension.",
  provenance: {
    description: "What a capture records of where the run came from, without secrets. An empty list records nothing.",
    values: [
      "The workspace's Git commit, branch and changed files.",
      "The command of the load and its version.",
      "Host, cores, memory and GPUs of this machine.",
      "What each captured server says of itself.",
      "The load of this machine.",
    ],
    schema: { uniqueItems: true },
  },
  include: {
    description: "Patterns of the families to capture, such as `vllm:*`. Empty: all of them.",
    schema: { items: { type: "string", minLength: 1 } },
  },
  exclude: {
    description: "Patterns of the families to leave out, such as `python_*`.",
    schema: { items: { type: "string", minLength: 1 } },
  },
  bodyLimit: "Largest answer of an endpoint, in MiB, uncompressed. A larger one is recorded as a gap.",
  seriesLimit:
    "Most series that a capture keeps per endpoint; each histogram bucket counts as one. Series beyond the limit are dropped, counted and reported; the rest of the scrape is kept.",
  labelLimit: "Most labels per sample. Samples with more are dropped, counted and reported.",
  labelValueLimit: "Longest label value, in KiB. Samples with a longer one are dropped, counted and reported.",
  helpLimit: "Longest `HELP` text, in KiB. A longer one is left out and reported.",
  lineLimit: "Longest line of an answer, in KiB. A longer one is dropped, counted and reported.",
  journalLimit: {
    scope: "machine-overridable",
    description:
      "Largest journal of a capture, in MiB. A capture whose window was closed is recovered from its journal. At the limit the journal stops with a notice, and the capture continues.",
  },
  memoryLimit: {
    scope: "machine-overridable",
    description:
      "Memory that reading a file may take, in MiB; large files may take up to nine times their size. A file that needs more is refused with a message, and other views stay open. Captures have no such limit.",
  },
  journalSync: {
    scope: "machine-overridable",
    description:
      "Flush the journal to the disk every second, so that a power failure costs little more than a crash: the last second, and the time that the disk takes. Without this, a power failure can cost all that the system had not yet written, about half a minute.",
  },
  certificateAuthority: {
    scope: "machine-overridable",
    description:
      "PEM file of certificate authorities to trust for every endpoint, in addition to the default ones. A relative path starts at the first workspace folder.",
  },
  secretParameters: {
    description:
      "Names of query parameters whose values are secret. The values are recorded and shown as `REDACTED`; those of a URL that you enter are kept in the secret storage.",
    schema: { items: { type: "string" } },
  },
  discoveryPorts: {
    description: "Local ports that **Discover Endpoints** tries.",
    schema: { uniqueItems: true, items: { type: "integer", minimum: 1, maximum: 65535 } },
  },
  compareThreshold:
    "Practical threshold in per cent: smaller differences between compared runs do not matter. A change made in a comparison is saved here, in the workspace's settings.",
  insightThresholds: {
    description:
      'Thresholds of findings, such as `{ "kvUsage": 0.8 }`; those that are not set keep their defaults ([Open Documentation](command:serverMetrics.openDocumentation), Findings).',
    schema: {
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.keys(DEFAULT_THRESHOLDS).map((name) => [name, { type: "number", exclusiveMinimum: 0 }]),
      ),
    },
  },
  compareDirections: {
    description:
      'Which direction of a metric is good when runs are compared, by family name, such as `"vllm:num_requests_running": "up"`. Without an entry the catalogue decides.',
    schema: {
      additionalProperties: {
        type: "string",
        enum: ["up", "down", "neutral"],
        enumDescriptions: ["Higher is better.", "Lower is better.", "Neither: it only differs."],
      },
    },
  },
  compareLabelRules: {
    description:
      "How labels are treated when series of compared runs are matched. Labels that are known to identify a server, such as `engine`, `instance` and `endpoint_url`, are `auto` by default, and so are labels that all series of an endpoint share and another run lacks, such as those that a Prometheus-compatible store attaches; all others must match.",
    schema: {
      items: {
        type: "object",
        required: ["label", "mode"],
        additionalProperties: false,
        properties: {
          label: { type: "string", minLength: 1, description: "Name of a label, or endpoint_url." },
          mode: {
            type: "string",
            enum: ["match", "pair", "aggregate", "auto"],
            enumDescriptions: [
              "Its values must be equal.",
              "It only identifies the server: its values are paired.",
              "It only identifies the server: all its values are combined.",
              "Paired where all runs have the same number of values, otherwise combined.",
            ],
          },
        },
      },
    },
  },
  assertions: {
    description:
      'Thresholds shown as lines in charts and marks in tables, in the syntax of `server-metrics check --assert`, such as `vllm:e2e_request_latency_seconds p99_estimate < 5` or `any: vllm:num_requests_running{engine="0"} max <= 256`.',
    schema: { items: { type: "string", minLength: 1 } },
  },
  slo: {
    description:
      'Service level objectives: metrics and the threshold that their values should stay at or below, in the metric\'s unit, such as `{ "ttft": 0.5, "e2e": 10 }`. A name is `ttft`, `itl`, `e2e`, `queue` or the name of a histogram. Tiles, timeslices and comparisons show the share that meets each, and the goodput when there are several.',
    schema: { additionalProperties: { type: "number" } },
  },
  sloTarget:
    "How many percent of the observations must meet an objective of `#serverMetrics.slo#` for its test to pass in the Test Explorer.",
  followGrowingFiles: {
    description: "What to do when an opened JSONL file grows because a run is still being written to it.",
    values: [
      "A message offers Reload and Follow.",
      "New scrapes are shown as they are written, without a question.",
      "A message offers Reload.",
    ],
  },
  demoProfile: {
    description: "Server that the demo server simulates. A change takes effect at its next start.",
    values: [
      "vLLM",
      "SGLang",
      "TensorRT-LLM: JSON at /metrics, the metrics at /prometheus/metrics",
      "Dynamo's frontend and component with TensorRT-LLM",
      "Triton with the TensorRT-LLM backend",
      "dcgm-exporter of the two GPUs that a server runs on",
    ],
  },
  demoPort: { scope: "machine-overridable", description: "Port of the demo server; 0 takes any free one." },
  demoSeed: "Seed of the demo server's simulation: the same seed gives the same load.",
};

const DURATION = {
  type: ["number", "string"],
  pattern: "^\\s*(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?\\s*(ms|s|m|min|h)?\\s*$",
  patternErrorMessage: "A number of seconds, or a time such as 333ms, 10s or 5m.",
};

/** The settings as package.json has them, in the order of their definitions. */
export function settingContributions() {
  const settings: readonly (readonly [string, Setting<unknown>])[] = Object.entries(SETTINGS);
  const shown: Readonly<Record<string, string | ShownSetting>> = SHOWN;
  return {
    title: "Server Metrics",
    properties: Object.fromEntries(
      settings.map(([name, setting], index) => {
        const { [name]: says = "" } = shown;
        return [setting.key, schemaOf(setting, index + 1, typeof says === "string" ? { description: says } : says)];
      }),
    ),
  };
}

function schemaOf({ default: byDefault, limits = {} }: Setting<unknown>, order: number, shown: ShownSetting) {
  const { scope = "window", values: meanings, schema, description } = shown;
  const { minimum, maximum, values, isDuration, isWhole } = limits;
  const type = Array.isArray(byDefault) ? "array" : typeof byDefault;
  const choices = {
    ...(values === undefined ? {} : { enum: values }),
    ...(meanings === undefined ? {} : { enumDescriptions: meanings }),
  };
  return {
    order,
    scope,
    ...(isDuration === true ? DURATION : { type: isWhole === true ? "integer" : type }),
    default: byDefault,
    ...(minimum === undefined ? {} : { minimum, maximum }),
    ...(type === "array" && values !== undefined ? { items: { type: "string", ...choices } } : choices),
    ...schema,
    markdownDescription: description,
  };
}
