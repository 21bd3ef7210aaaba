import { type Problem, warningOf } from "../model/index.js";
import { recogniseServers } from "./recognise.js";

const PROCESS_ONLY = /^(python|process|http)_/;

/**
 * What to tell beside an endpoint that answers, but without the families one came for.
 * @param familyNames all families of one endpoint
 */
export function hintsFor(familyNames: Iterable<string>): Problem[] {
  const names = [...familyNames];
  const matches = (patterns: readonly RegExp[]) => names.some((name) => patterns.some((pattern) => pattern.test(name)));
  const servers = recogniseServers(names);
  const problems = servers
    .flatMap((server) => server.hints)
    .filter(({ present, missing }) => (present === undefined || matches(present)) && !matches(missing))
    .map(({ problem }) => problem);
  if (servers.length === 0 && names.length > 0 && names.every((name) => PROCESS_ONLY.test(name)))
    problems.push(NO_ENGINE);
  return problems;
}

const NO_ENGINE: Problem = warningOf(
  "Only metrics of the process itself (python_*, process_*) are here, none of an inference server.",
  "Check that the URL is that of the inference server and not of another process. vLLM: start it without --disable-log-stats; SGLang: with --enable-metrics.",
);
