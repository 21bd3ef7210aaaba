/**
 * One page of a Prometheus exposition, read independently of the project's parser: enough for what prom-client writes.
 */
export interface Page {
  /** Name in `# TYPE` → type. */
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

export function readPage(text: string): Page {
  const types = new Map<string, string>();
  const samples: Page["samples"][number][] = [];
  for (const line of text.split("\n")) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type !== null) types.set(type[1] ?? "", type[2] ?? "");
    if (line === "" || line.startsWith("#")) continue;
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (sample === null) throw new Error(`not a sample: ${line}`);
    const labels = Object.fromEntries(
      [...(sample[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name ?? "", value ?? ""]),
    );
    samples.push({ name: sample[1] ?? "", labels, value: Number(sample[3]) });
  }
  return { types, samples };
}

/** Sum over the samples of that name whose labels include these. */
export function sumOf(page: Page, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const found = page.samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length === 0) throw new Error(`no sample ${name} ${JSON.stringify(labels)}`);
  return found.reduce((sum, { value }) => sum + value, 0);
}
