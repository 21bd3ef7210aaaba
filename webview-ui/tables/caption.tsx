import { elideMiddle, hostOf } from "../format/text.js";
import type { GridModel } from "./model.js";

/** What all rows have in common, and what kind of numbers percentiles are: said once. */
export function TableCaption({ id, model }: { readonly id: string; readonly model: GridModel }) {
  const { endpointUrl, labels, inEveryRow } = model.common;
  const parts = [
    ...(endpointUrl === undefined ? [] : [{ text: hostOf(endpointUrl), title: endpointUrl }]),
    ...labels.map(([name, value]) => ({ text: `${name}=${elideMiddle(value, 40)}`, title: `${name}=${value}` })),
  ];
  const everywhere =
    inEveryRow || labels.length === 0 ? "in every row" : `in every row that has ${labels.length === 1 ? "it" : "them"}`;
  return (
    <p class="table-caption muted" id={id}>
      {parts.length > 0 && (
        <span>
          {parts.map(({ text, title }, i) => (
            <span key={title} title={title}>
              {i === 0 ? text : `, ${text}`}
            </span>
          ))}
          {model.rows.length > 1 && ` ${everywhere}`}
        </span>
      )}
      {model.estimates !== undefined && (
        <span>{`Percentiles are estimates from the histogram's buckets${model.estimates === "bounded" ? "; hover or focus one for what is certain" : ""}.`}</span>
      )}
    </p>
  );
}
