// Stands for the jq command, so that commands run as they are copied: node jq.mjs [-flags] program [file].
import { readFileSync } from "node:fs";
import { raw } from "jq-wasm";

const args = process.argv.slice(2);
const flags = args.filter((arg, i) => i === args.findIndex((one) => one === arg) && /^-[a-zA-Z]+$/.test(arg));
const [program = ".", file] = args.filter((arg) => !flags.includes(arg));
const output = await raw(
  readFileSync(file ?? 0, "utf8"),
  program,
  flags.flatMap((flag) => [...flag.slice(1)].map((letter) => `-${letter}`)),
);
process.stdout.write(output.endsWith("\n") || output === "" ? output : `${output}\n`);
