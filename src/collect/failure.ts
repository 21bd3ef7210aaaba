import { errors } from "undici";
import type { Problem, ScrapeErrorType } from "../core/model/index.js";
import { errorCode } from "../core/text/index.js";
import type { Decoded } from "./http/encoding.js";
import { serverWords } from "./server-words.js";

/** Why a request brought no body, worded for a person. */
export interface Failure {
  readonly type: ScrapeErrorType;
  readonly reason: string;
  readonly remedy?: string | undefined;
  /** Of an answer that came but is none: its HTTP status. */
  readonly status?: number;
  /** Of one of success that is no exposition: what it is. */
  readonly answer?: "JSON" | "HTML" | "something else";
}

/** How far a request had come when it ended. */
export type RequestStage =
  /** The host's name is being looked up. */
  | { readonly stage: "resolving" }
  | { readonly stage: "connecting" }
  /** Sent, nothing came back. */
  | { readonly stage: "waiting" }
  /** The answer had begun, its headers were not complete. */
  | { readonly stage: "headers" }
  | { readonly stage: "body"; readonly bytes: number };

/** What messages name of a URL. */
export type RequestPlace = Pick<URL, "protocol" | "host" | "hostname" | "pathname">;

/** A failure as the problem that is shown of its endpoint. */
export function failureProblem(failure: Failure, severity: Problem["severity"] = "error"): Problem {
  const { type, status, reason, remedy } = failure;
  return {
    severity,
    reason,
    remedy,
    failure: status === undefined ? type : `HTTP ${status}`,
  };
}

/** What to do about an answer that is too slow or too large; where nothing is said, the advice is for an endpoint. */
export interface AnswerRemedies {
  readonly slow?: string;
  readonly large?: string;
}

/** What ended a request, by the name that its option and its setting have. */
export interface TimeLimit {
  readonly name: "scrape timeout" | "reachability timeout" | "flush period";
  /** Milliseconds; absent where it began after the request. */
  readonly ms?: number;
}

/** No whole answer in time: how far it came. */
export function timeoutFailure(
  url: RequestPlace,
  progress: RequestStage,
  { name: limit, ms }: TimeLimit,
  { slow }: Pick<AnswerRemedies, "slow"> = {},
): Failure {
  const inTime = ms === undefined ? `by the end of the ${limit}` : `within ${ms / 1000} s`;
  const name = url.host;
  switch (progress.stage) {
    case "resolving":
      return {
        type: "unreachable",
        reason: `The host name ${url.hostname} was not resolved ${inTime}.`,
        remedy:
          "The name server (DNS) does not answer. Check this machine's DNS settings, or give the server's address in place of its name.",
      };
    case "connecting":
      return {
        type: "timeout",
        reason: `No connection to ${name} ${inTime}.`,
        remedy:
          "A firewall that drops packets or a wrong address looks like this. Check the address and that this machine may reach it.",
      };
    case "waiting":
      return {
        type: "timeout",
        reason: `${name} accepted the connection but did not answer ${url.pathname} ${inTime}.`,
        remedy:
          slow ??
          `The server may be starting, overloaded or stuck. If it answers slowly under load, raise the ${limit}.`,
      };
    case "headers":
    case "body":
      return {
        type: "timeout",
        reason:
          `${name} began to answer ${url.pathname} but did not finish ${inTime}` +
          (progress.stage === "body" ? ` (${progress.bytes} bytes received).` : "."),
        remedy: slow ?? `The server or the network is slow. If this continues, raise the ${limit}.`,
      };
  }
}

/** Words an error of the connection (undici's or node's). */
export function networkFailure(error: Error, url: RequestPlace, progress: RequestStage): Failure {
  const code = rootCode(error);
  const name = url.host;
  const tls = url.protocol === "https:" ? tlsFailure(code, error, url) : undefined;
  if (tls !== undefined) return tls;
  switch (code) {
    case "ECONNREFUSED":
      return {
        type: "refused",
        reason: `Connection refused at ${name}.`,
        remedy:
          "Nothing is listening there. Is the server running? Check the port; a server in a container must publish it, and one that listens on 127.0.0.1 only is not reached from outside.",
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return {
        type: "unreachable",
        reason: `The host name ${url.hostname} could not be resolved.`,
        remedy: "Check its spelling, and that this machine (where the capture runs) can resolve it.",
      };
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "EHOSTDOWN":
    case "ENETDOWN":
    case "EADDRNOTAVAIL":
    case "EACCES":
    case "EINVAL":
      return {
        type: "unreachable",
        reason: `There is no route to ${name} (${code}).`,
        remedy: "Check the address, and the network or VPN between this machine and the server.",
      };
    case "EMFILE":
    case "ENFILE":
      return {
        type: "other",
        reason: `No connection to ${name} could be opened: ${code === "EMFILE" ? "this process" : "this machine"} has reached its limit of open files.`,
        remedy: "Raise the limit (ulimit -n), or capture fewer endpoints at a time.",
      };
    case "ETIMEDOUT":
      return {
        ...timeoutFailure(url, progress, { name: "scrape timeout" }),
        reason: `The connection to ${name} timed out.`,
      };
    case "UND_ERR_CONNECT_TIMEOUT":
      if (progress.stage === "resolving")
        return {
          ...timeoutFailure(url, progress, { name: "scrape timeout" }),
          reason: `The host name ${url.hostname} was not resolved in time.`,
        };
      return {
        ...timeoutFailure(url, { stage: "connecting" }, { name: "scrape timeout" }),
        type: "unreachable",
        reason: `No connection to ${name} could be made in time.`,
      };
    case "UND_ERR_HEADERS_OVERFLOW":
      return {
        type: "other",
        reason: `${name} answered with oversized headers.`,
        remedy: "Is this a metrics endpoint? Check the port and the path.",
      };
    case "UND_ERR_RES_CONTENT_LENGTH_MISMATCH":
      return truncatedFailure(url, progress);
    case "ECONNRESET":
    case "EPIPE":
      return {
        type: "reset",
        reason: `${name} reset the connection ${progressText(progress)}.`,
        remedy:
          "The server may have crashed or restarted, or a proxy dropped the connection. Look at the server's log if this continues.",
      };
    case "UND_ERR_SOCKET":
      if (progress.stage === "body") return truncatedFailure(url, progress);
      // undici's words for HTTP 100 and 101.
      if (progress.stage === "headers" && /^bad (response|upgrade)$/.test(error.message))
        return {
          type: "other",
          reason: `${name} began with an interim answer that was not asked for (HTTP 100 or 101).`,
          remedy: "Check the server or the proxy before it.",
        };
      return {
        type: "reset",
        reason: `${name} closed the connection ${progressText(progress)}.`,
        remedy:
          "The server may have crashed or restarted; a server that uses https only also does this: then use https://.",
      };
  }
  // undici asserts some of what the parser lets through, such as a status of 000.
  if (error instanceof errors.HTTPParserError || code === "ERR_ASSERTION") {
    // A body that breaks off within a chunk, on a connection that was to be closed.
    if (progress.stage === "body") return truncatedFailure(url, progress);
    return {
      type: "other",
      reason: `The answer of ${name} is not HTTP.`,
      remedy: `Check the port${url.protocol === "http:" ? "; if the server uses https, use https://" : ""}.`,
    };
  }
  return {
    type: "other",
    reason: `The request to ${name} failed: ${error.message}${code === "" ? "" : ` (${code})`}.`,
  };
}

/** The answer ended before it was complete. */
export function truncatedFailure(url: RequestPlace, progress: RequestStage): Failure {
  return {
    type: "truncated",
    reason: `${url.host} closed the connection in the middle of its answer${progress.stage === "body" ? ` (after ${progress.bytes} bytes)` : ""}: an incomplete body is not used.`,
    remedy: "The server may have crashed or restarted, or a proxy cut the answer short.",
  };
}

/** A body that is not what its Content-Encoding says, or in an encoding that nobody asked for. */
export function undecodedFailure(
  url: RequestPlace,
  decoded: Extract<Decoded, { kind: "truncated" | "unknown" | "corrupt" }>,
  contentEncoding: string,
  progress: RequestStage,
  hidden: readonly string[],
): Failure {
  if (decoded.kind === "truncated") return truncatedFailure(url, progress);
  return {
    type: "other",
    reason:
      decoded.kind === "unknown"
        ? `${url.host} compressed its answer in a way that was not requested and is not supported (${serverWords(decoded.encoding, hidden)}).`
        : `The answer of ${url.host} says it is compressed (${serverWords(contentEncoding, hidden)}) but cannot be decompressed: ${decoded.reason}.`,
    remedy: "Check the server or the proxy before it.",
  };
}

/** More came than the headers announced, so the body was cut off by them. */
export function shortLengthFailure(url: RequestPlace, bytes: number): Failure {
  return {
    type: "truncated",
    reason: `${url.host} announced a body of ${bytes} bytes (Content-Length) and sent more: the body is incomplete.`,
    remedy: "Check the server or the proxy before it: one of them reports a wrong length.",
  };
}

/** The body, unpacked, is beyond its limit. @param limitBytes bytes */
export function tooLargeFailure(
  url: RequestPlace,
  limitBytes: number,
  { large }: Pick<AnswerRemedies, "large"> = {},
): Failure {
  return {
    type: "too-large",
    reason: `${url.host}${url.pathname} answered with more than the ${formatBytes(limitBytes)} that are accepted.`,
    remedy:
      large ??
      "Check that this is a metrics endpoint. If it really exposes that much, raise serverMetrics.bodyLimit (--body-limit).",
  };
}

/** An HTTP status that is not a success. `body`: the first bytes of what came with it. */
export function statusFailure(url: RequestPlace, status: number, contentType: string, body: Uint8Array): Failure {
  const words = ownWords(contentType, body);
  return {
    type: "http-status",
    status,
    reason: `${url.host}${url.pathname} answered with HTTP ${status}${words === "" ? "" : ` ("${words}")`}.`,
    remedy: statusRemedy(status),
  };
}

function statusRemedy(status: number): string {
  if (status === 401 || status === 403)
    return 'The endpoint requires credentials: give them with --header "Authorization: Bearer …", or in the endpoint\'s headers in the settings.';
  if (status === 404)
    return "Check the path. Some servers expose metrics only with a flag (SGLang: --enable-metrics) or on a separate port.";
  if (status === 410) return "It was served here and no longer is: remove the endpoint, or have it served again.";
  if (status === 405) return "The path does not take GET requests: check it.";
  if (status === 429) return "The server limits requests: raise the collection interval.";
  if (status === 503 || status === 502 || status === 504)
    return "The server, or what is behind a proxy, is not ready: wait until it has started.";
  if (status >= 500) return "The server failed: its own log says why.";
  if (status === 304)
    return "A cache answers in the server's place, and without its metrics: use the server's own URL.";
  if (status >= 300 && status < 400) return "The metrics are elsewhere: use their own URL.";
  return "Check the URL.";
}

function tlsFailure(code: string, error: Error, url: RequestPlace): Failure | undefined {
  const at = url.host;
  switch (code) {
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return {
        type: "tls",
        reason: `The certificate of ${at} is self-signed or from an authority that this machine does not trust (${code}).`,
        remedy:
          "Put the certificate (or its authority's) in a PEM file and name it with --ca, the setting serverMetrics.certificateAuthority or the variable NODE_EXTRA_CA_CERTS; " +
          "or use http:// if the server offers it.",
      };
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return {
        type: "tls",
        reason: `The certificate of ${at} is expired or not valid yet.`,
        remedy: "Renew it on the server, or check this machine's clock.",
      };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return {
        type: "tls",
        reason: `The certificate of ${at} is for another host name.`,
        remedy: "Use the host name that the certificate names.",
      };
  }
  if (/CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE/.test(code))
    return {
      type: "tls",
      reason: `${at} does not accept this client without a certificate that it knows (${code}).`,
      remedy:
        "Give the client's certificate and key: --cert and --key, or cert and key of the endpoint in the settings.",
    };
  if (code === "EPROTO" || code.startsWith("ERR_SSL_"))
    return {
      type: "tls",
      reason: `${at} does not use https (${firstLine(error.message)}).`,
      remedy: "If the server uses plain http, use http://.",
    };
  return undefined;
}

/** An AggregateError (all addresses of a name failed) has the code of its first error. */
function rootCode(error: Error): string {
  const code = errorCode(error);
  if (code !== undefined) return code;
  if (error instanceof AggregateError) {
    const first: unknown = error.errors[0];
    return first instanceof Error ? rootCode(first) : "";
  }
  return error.cause instanceof Error ? rootCode(error.cause) : "";
}

function progressText(progress: RequestStage): string {
  switch (progress.stage) {
    case "resolving":
    case "connecting":
      return "while it was being opened";
    case "waiting":
      return "without answering";
    case "headers":
      return "in the middle of its headers";
    case "body":
      return `in the middle of its answer (after ${progress.bytes} bytes)`;
  }
}

/** The first words of an error page, when they are text or JSON. */
function ownWords(contentType: string, body: Uint8Array): string {
  if (/html/i.test(contentType)) return "";
  const text = new TextDecoder().decode(body.subarray(0, 400));
  const plain = text
    .replace(/[\u0000-\u001f\u007f\ufffd]+/g, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  return plain.length > 160 ? `${plain.slice(0, 159)}…` : plain;
}

function firstLine(text: string): string {
  const reason = /:([a-z ]+):/i.exec(text)?.[1];
  return reason ?? text.split("\n", 1)[0] ?? text;
}

function formatBytes(bytes: number): string {
  return bytes >= 1024 * 1024
    ? `${Math.round((bytes / 1024 / 1024) * 10) / 10} MiB`
    : `${Math.round((bytes / 1024) * 10) / 10} KiB`;
}
