import { serverById } from "../core/catalog/index.js";
import type { ParseError } from "../core/exposition/index.js";
import { type Problem, warningOf } from "../core/model/index.js";
import type { Failure } from "./failure.js";
import { serverWords } from "./server-words.js";

const trtllm = serverById("trtllm");

/** The one server of the catalogue that has something else at `/metrics`. */
const JSON_REMEDY = `${trtllm.name}: ${trtllm.enable}`;

/**
 * An answer that is not an exposition: JSON by its content type, or a body that does not parse.
 * Names the endpoint, the content type and, of a body that was read, where it went wrong.
 * @param hidden what must not stand in a message: of a body that has some of it, nothing is shown
 */
export function notPrometheusFailure(
  url: string,
  contentType: string,
  hidden: readonly string[],
  refused?: { readonly error: ParseError; readonly body: Uint8Array },
): Failure {
  const type = contentType === "" ? "no content type" : serverWords(contentType, hidden);
  if (refused === undefined)
    return {
      type: "not-prometheus",
      reason: `${url} answers with ${type}, not with Prometheus metrics.`,
      remedy: JSON_REMEDY,
      answer: "JSON",
    };
  const { error, body } = refused;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const where = hidden.some((secret) => text.includes(secret))
    ? `line ${error.line}, column ${error.column}: expected ${error.expected}; the text repeats a secret of the request`
    : error.message;
  const isHtml = /html/i.test(contentType);
  return {
    type: "parse",
    reason: `${url} answers with something that is not a Prometheus exposition (${type}): ${where}.`,
    answer: isHtml ? "HTML" : "something else",
    remedy: isHtml
      ? "This looks like a web page: check the port and the path (a login page also looks like this)."
      : "Check that this is a metrics endpoint.",
  };
}

/** @param why what is wrong with the answer, as the end of a sentence */
export function notIterationStatisticsFailure(url: string, why: string): Failure {
  return {
    type: "parse",
    reason: `${url} answers with something that is not TensorRT-LLM's iteration statistics: ${why}.`,
    remedy: "Name the /metrics of trtllm-serve; its Prometheus metrics are at /prometheus/metrics and need no option.",
  };
}

/** An answer of success without a body: nothing to record, and nothing that says it is not a metrics endpoint. */
export function emptyBodyFailure(url: string): Failure {
  return {
    type: "not-prometheus",
    reason: `${url} answered with an empty body.`,
    remedy: "The server may have nothing to report yet. If this continues, check that its metrics are enabled.",
  };
}

/** Whether a body is empty or white space only. */
export function isBlank(body: Uint8Array): boolean {
  return body.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

/** The one warning for an endpoint that is left out for the rest of the run. */
export function disabledProblem(failure: Failure): Problem {
  return warningOf(
    `${failure.reason} It is left out of this capture.`,
    `${failure.remedy ?? ""} To silence this, set "enabled: false" on the endpoint in the settings; on the command line leave it out.`.trim(),
  );
}
