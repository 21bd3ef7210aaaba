import type { Family, MetricType } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import {
  Declarations,
  type Declaration,
  exportedName,
  placeSample,
  suffixOf,
  type DeclaredType,
  type Placement,
} from "./declarations.js";
import type { LeftOut, ParserNotes } from "./notes.js";

/** What the samples under one metric name are to us. */
export type SampleRole =
  { readonly kind: "dropped" } | { readonly kind: "sample"; readonly family: Family; readonly part: SeriesPart };

type SeriesPart = "value" | "sum" | "count" | "bucket";

const DROPPED: SampleRole = { kind: "dropped" };
const CREATED = "_created";

/** A metric name and its role, as long as no declaration it hangs on changes. */
export interface MetricName {
  readonly text: string;
  readonly dependsOn: readonly Declaration[];
  role: SampleRole;
  /** Sum of the declarations' versions when the role was settled; versions only rise. */
  version: number;
}

/** Settles the roles of metric names by the metadata of the scrape. Equal roles are one object. */
export class SampleRoles {
  readonly declarations = new Declarations();
  private readonly names = new Map<string, MetricName>();
  private readonly roles = new Map<Family, Partial<Record<SeriesPart, SampleRole>>>();
  private readonly families = new Map<string, Family>();

  constructor(
    private readonly keepFamily: (name: string) => boolean,
    private readonly notes: ParserNotes,
  ) {}

  nameOf(text: string): MetricName {
    let name = this.names.get(text);
    if (name === undefined) {
      const base = text.slice(0, text.length - suffixOf(text).length);
      const candidates = new Set([text, base, base.endsWith("_total") ? base.slice(0, -"_total".length) : base]);
      name = {
        text,
        dependsOn: [...candidates].map((candidate) => this.declarations.of(candidate)),
        role: DROPPED,
        version: -1,
      };
      this.names.set(text, name);
    }
    return name;
  }

  roleOf(name: MetricName): SampleRole {
    let version = 0;
    for (const declaration of name.dependsOn) version += declaration.version;
    if (version !== name.version) {
      name.role = this.settle(name.text);
      name.version = version;
    }
    return name.role;
  }

  /** The counter or histogram whose creation a sample of this name tells: `a_created` that of `a` or `a_total`. */
  createdOf(text: string): Pick<Family, "type" | "name"> | undefined {
    if (!text.endsWith(CREATED)) return undefined;
    const { typeOf } = this.declarations;
    const base = text.slice(0, -CREATED.length);
    for (const declared of [base, `${base}_total`]) {
      const type = typeOf(declared);
      if (type === "counter" || type === "histogram") return { type, name: exportedName(declared, type, typeOf) };
    }
    return undefined;
  }

  private settle(text: string): SampleRole {
    const { typeOf } = this.declarations;
    const placement = placeSample(text, typeOf);
    // OpenMetrics names an info family without the suffix that its samples carry and the text format's family has.
    const name = placement.type === "info" ? text : exportedName(placement.family, placement.type, typeOf);
    if (isDropped(text) || isDropped(name) || !this.keepFamily(name)) return DROPPED;
    const type = EXPORTED_TYPES[placement.type];
    const part = type === undefined ? undefined : partOf(placement);
    if (type === undefined || part === undefined) {
      this.notes.add(name, whyLeftOut(placement.type));
      return DROPPED;
    }
    const served = type === "counter" ? text : undefined;
    return this.role(this.familyOf(name, type, served, this.declarations.of(placement.family)), part);
  }

  private role(family: Family, part: SeriesPart): SampleRole {
    const roles = getOrInsert(this.roles, family, () => ({}));
    return (roles[part] ??= { kind: "sample", family, part });
  }

  private familyOf(
    name: string,
    type: MetricType,
    served: string | undefined,
    { said: { help = "", unit = "" } }: Declaration,
  ): Family {
    // Lengths part the texts: JSON of them took a fiftieth of a first scrape's time.
    const key = `${type} ${name.length} ${served?.length ?? ""} ${unit.length} ${name}${served ?? ""}${unit}${help}`;
    let family = this.families.get(key);
    if (family === undefined) {
      family = {
        name,
        type,
        description: help,
        ...(unit === "" ? {} : { declaredUnit: unit }),
        ...(served === undefined ? {} : { exposedName: served }),
      };
      this.families.set(key, family);
    }
    return family;
  }
}

/** Times of creation and of running say nothing of the load. */
function isDropped(name: string): boolean {
  return name.endsWith(CREATED) || name.endsWith("_uptime") || name.includes("_uptime_");
}

/** What a declared type is exported as; undefined: it is left out. */
const EXPORTED_TYPES: Readonly<Record<DeclaredType, MetricType | undefined>> = {
  counter: "counter",
  gauge: "gauge",
  histogram: "histogram",
  unknown: "unknown",
  info: "gauge",
  stateset: "gauge",
  summary: undefined,
  gaugehistogram: undefined,
};

function partOf({ type, suffix }: Placement): SeriesPart | undefined {
  if (type !== "histogram") return "value";
  return suffix === "_bucket" ? "bucket" : suffix === "_sum" ? "sum" : suffix === "_count" ? "count" : undefined;
}

const SUMMARIES: LeftOut = {
  what: "The summary",
  plural: "summaries",
  why: "quantiles computed by the server do not apply to a chosen window and cannot be merged.",
};
const GAUGE_HISTOGRAMS: LeftOut = {
  what: "The gaugehistogram",
  plural: "gaugehistograms",
  why: "this type is not supported.",
};
const STRAY_SAMPLES: LeftOut = {
  what: "A sample of",
  plural: "families' samples",
  why: "a histogram has only buckets, a sum and a count.",
};

function whyLeftOut(type: DeclaredType): LeftOut {
  if (type === "summary") return SUMMARIES;
  return type === "gaugehistogram" ? GAUGE_HISTOGRAMS : STRAY_SAMPLES;
}
