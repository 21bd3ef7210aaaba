import { type Problem, noteOf } from "../../core/model/index.js";
import { scrubText, messageOf, isFields, parseJson } from "../../core/text/index.js";
import { textOf } from "../bytes.js";
import type { Neighbours } from "./neighbours.js";

const NAME = "mlflow_export.json";
const MOST_BYTES = 1024 ** 2;

/** Where MLflow has a run, as AIPerf's `mlflow_export.json` beside it says; nothing without one. */
export async function mlflowBeside(neighbours: Neighbours): Promise<readonly Problem[]> {
  const path = neighbours.firstOf([NAME], "info");
  if (path === undefined) return [];
  try {
    const file = parseJson(await textOf(path, MOST_BYTES, neighbours.reading));
    const { tracking_uri: store, experiment, run_id: id, run_name: name } = isFields(file) ? file : {};
    if (typeof store !== "string" || typeof id !== "string" || !/^[\w-]+$/.test(id))
      throw new Error("it names no run of MLflow");
    const called = [name, experiment].filter((one) => typeof one === "string").join(" of ");
    // MLflow's page of a run whose experiment is not known. A store that is a file or a database has no page.
    const place = /^https?:/i.test(store) ? `${store.replace(/\/+$/, "")}/#/runs/${id}` : `run ${id}`;
    return [noteOf(scrubText(`MLflow has this run${called === "" ? "" : ` (${called})`}: ${place}`))];
  } catch (error) {
    neighbours.reading.signal?.throwIfAborted();
    return [noteOf(`${NAME} was left out: ${messageOf(error)}.`)];
  }
}
