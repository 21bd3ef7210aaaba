import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { AGENT_TOOLS } from "../../../src/agents/index.js";
import { ROOT } from "../../support/repository-files.js";

interface Contributions {
  readonly contributes: { readonly chatSkills: readonly { readonly path: string }[] };
}

const PACKAGE = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as Contributions;

it("the skill is offered to the chat under its folder's name, and names tools that there are", () => {
  const [skill, another] = PACKAGE.contributes.chatSkills;
  expect(another).toBeUndefined();
  const file = path.join(ROOT, skill?.path ?? "none");
  const text = readFileSync(file, "utf8");
  // What the chat reads first, and without which it takes no skill.
  const [, head = ""] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
  expect(head).toMatch(new RegExp(`^name: ${path.basename(path.dirname(file))}$`, "m"));
  expect(head).toMatch(/^description: .{40,1024}$/m);
  const tools = AGENT_TOOLS.map(({ name }) => name);
  const verbs = new Set(tools.map((name) => name.split("_")[0]));
  const named = [...text.matchAll(/`([a-z]+_[a-z_]+[a-z])`/g)].map(([, name = ""]) => name);
  const called = named.filter((name) => verbs.has(name.split("_")[0]));
  expect(called.length).toBeGreaterThan(8);
  expect(tools).toEqual(expect.arrayContaining(called));
});
