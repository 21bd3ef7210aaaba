import { fieldsOf } from "../../src/core/text/index.js";
import type { ViewLayout } from "../../src/protocol/index.js";
import { soundPart } from "../../src/protocol/guards.js";
import { viewLayout } from "../../src/protocol/view-requests.js";

/** What is sound of what an earlier version of the view, or another program, has left; undefined for no layout. */
export function parseSavedLayout(value: unknown): ViewLayout | undefined {
  const saved = fieldsOf(value);
  return soundPart(viewLayout, { ...saved, tab: typeof saved["tab"] === "string" ? saved["tab"] : "overview" });
}
