import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { expect, it } from "vitest";
import { experimentJsonSchema } from "../../../../src/core/experiment/index.js";

const FILE = fileURLToPath(new URL("../../../../media/experiment.schema.json", import.meta.url));

it("the shipped JSON Schema is that of the definition (vitest run -u writes it)", async () => {
  const text = await format(JSON.stringify(experimentJsonSchema()), { parser: "json", printWidth: 120 });
  await expect(text).toMatchFileSnapshot(FILE);
});
