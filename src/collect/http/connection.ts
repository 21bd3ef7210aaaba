import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { rootCertificates } from "node:tls";
import type { TlsOptions } from "../../core/model/index.js";
import type { ByteBuffer } from "../../core/bytes/index.js";
import { Client, EnvHttpProxyAgent } from "undici";
import { type ExchangeResult, type Exchange, sharedReads } from "./exchange.js";
import type { Failure } from "../failure.js";
import { isReserved } from "../origin.js";
import { zonedAddress } from "../url.js";

/** One server's connection, kept alive from request to request. */
export interface Connection {
  readonly client: Client | EnvHttpProxyAgent;
  requests: number;
  /** The request under way. */
  exchange: Exchange | undefined;
  /** It ended because more came than the last answer had announced. */
  overran: boolean;
}

/** How a connection is made: certificates, and how names are looked up. */
export interface Connecting {
  ca?: string[];
  cert?: string;
  key?: string;
  lookup?: LookupFunction;
}

/** The certificates of a connection. */
export function certificatesOf({ ca, cert, key }: TlsOptions = {}): Connecting {
  return {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

const LINE_FEED = 0x0a;

/** As the system looks names up; those of addresses with a zone stand for themselves. */
const lookupName: LookupFunction = (hostname, options, callback) => {
  const address = zonedAddress(hostname);
  if (address === undefined) lookup(hostname, options, callback);
  else if (options.all === true) callback(null, [{ address, family: 6 }]);
  else callback(null, address, 6);
};

/** Lookups with word of whether one is under way: until it ends, there is nothing to connect to. */
export function watchedLookup(onLookup: (pending: boolean) => void, resolve = lookupName): LookupFunction {
  return (hostname, options, callback) => {
    onLookup(true);
    resolve(hostname, options, (...found) => {
      onLookup(false);
      callback(...found);
    });
  };
}

/** Fails for a name that leads to a reserved address: whoever answers for the name may choose any. */
export const lookupUnreserved: LookupFunction = (hostname, options, callback) => {
  lookupName(hostname, options, (error, found, family) => {
    const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
    if (error === null && addresses.some(isReserved))
      callback(new Error(`${hostname} resolves to a link-local or cloud metadata address`), []);
    else callback(error, found, family);
  });
};

/** A client that keeps one connection to an origin, through the proxy of the environment where there is one. */
export function connectionTo(origin: string, connect: Connecting): Connection {
  // The request's own timeout covers all of undici's.
  const options = { pipelining: 1, connectTimeout: 0, headersTimeout: 0, bodyTimeout: 0 };
  const lookup = watchedLookup((pending) => {
    if (connection.exchange !== undefined) connection.exchange.isResolving = pending;
  }, connect.lookup);
  const connectWatched = { ...connect, lookup };
  const client = hasProxy()
    ? // http goes through the proxy as it is, https through a tunnel; NO_PROXY is heeded.
      new EnvHttpProxyAgent({
        ...options,
        connections: 1,
        connect: connectWatched,
        requestTls: connect,
        proxyTunnel: false,
      })
    : new Client(origin, {
        ...options,
        connect: origin.startsWith("https:")
          ? connectWatched
          : sharedReads(() => connection.exchange?.received ?? "some", lookup),
      });
  const connection: Connection = { client, requests: 0, overran: false, exchange: undefined };
  client.on("connect", () => {
    connection.requests = 0;
    connection.overran = false;
  });
  client.on("disconnect", (_origin, _targets, error) => (connection.overran = error.message === "bad response"));
  return connection;
}

/** How long a body that breaks off within a line is suspected to go on. */
const OVERRUN_MS = 25;
/** Of the event loop, in which the client meets a surplus that has arrived. */
const TURNS = 3;

/**
 * Whether more came than the Content-Length said. The client meets the surplus when it reads on, a moment after the
 * answer, and then drops the connection.
 */
export function exceedsContentLength(
  connection: Connection,
  answer: Extract<ExchangeResult, { kind: "response" }>,
  { method, into }: { readonly method: string; readonly into: ByteBuffer },
): Promise<boolean> {
  if (method === "HEAD" || !answer.counted || answer.status < 200 || answer.status > 299) return Promise.resolve(false);
  const { view } = into;
  const isSuspect = view.length > 0 && answer.contentEncoding === "" && view.at(-1) !== LINE_FEED;
  const end = performance.now() + (isSuspect ? OVERRUN_MS : 0);
  let turns = 0;
  return new Promise((resolve) => {
    const turn = () => {
      if (connection.overran || (turns++ >= TURNS && performance.now() >= end)) resolve(connection.overran);
      else setImmediate(turn);
    };
    turn();
  });
}

const PROXIES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];

/** As undici's agent reads them. @throws Error that names the variable that is no address, without its value */
export function hasProxy(): boolean {
  const set = PROXIES.filter((name) => (process.env[name] ?? "") !== "");
  const wrong = set.find((name) => !URL.canParse(process.env[name] ?? ""));
  if (wrong !== undefined)
    throw new Error(`The variable ${wrong} is not the address of a proxy, such as http://proxy:3128.`);
  return set.length > 0;
}

/** A failure whose cause may be the proxy. */
export function throughProxy(failure: Failure): Failure {
  if (!hasProxy()) return failure;
  const how =
    "Requests go through the proxy of HTTPS_PROXY or HTTP_PROXY; NO_PROXY lists hosts that are asked directly.";
  return { ...failure, remedy: failure.remedy === undefined ? how : `${failure.remedy} ${how}` };
}
