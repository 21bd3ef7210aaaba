import { t } from "@vscode/l10n";
import type { StaticFact } from "../../src/protocol/index.js";
import { hostOf } from "../format/text.js";
import { elideMiddle } from "../shorten/text-group.js";
import { useView } from "../state/context.js";

export interface MergedFact {
  readonly name: string;
  /** One when all endpoints agree. */
  readonly values: readonly { readonly value: string; readonly endpoints: readonly string[] }[];
}

/** What several endpoints agree on is said once; where they differ, each value with its endpoints. */
export function mergeFacts(facts: readonly StaticFact[]): MergedFact[] {
  const names = new Map<string, Map<string, string[]>>();
  for (const { name, value, endpointUrl } of facts) {
    const values = names.get(name) ?? new Map<string, string[]>();
    const endpoints = values.get(value) ?? [];
    if (!endpoints.includes(endpointUrl)) endpoints.push(endpointUrl);
    names.set(name, values.set(value, endpoints));
  }
  return [...names].map(([name, values]) => ({
    name,
    values: [...values].map(([value, endpoints]) => ({ value, endpoints })),
  }));
}

/** The static configuration of model and server. */
export function ServerFacts() {
  const facts = useView().run.header.value?.facts ?? [];
  if (facts.length === 0) return null;
  return (
    <section aria-labelledby="details-facts">
      <h2 id="details-facts">{t("Model and server")}</h2>
      <dl class="fact-list">
        {mergeFacts(facts).map(({ name, values }) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            {values.map(({ value, endpoints }) => (
              <dd key={value} title={[value, ...endpoints.map(hostOf)].join("\n")}>
                {elideMiddle(value, 48)}
                {values.length > 1 && <span class="muted"> {endpoints.map(hostOf).join(", ")}</span>}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  );
}
