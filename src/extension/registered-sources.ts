import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { messageOf } from "../core/text/errors.js";

/** Where metrics come from that no endpoint serves; another extension registers it. */
export interface MetricsSource {
  /** Letters, digits, dashes and underscores: a part of the address it is recorded under. */
  readonly id: string;
  /**
   * Called for each scrape.
   * @param signal aborted when the scrape is given up
   * @returns an exposition in Prometheus' text format, or in OpenMetrics' when it ends with `# EOF`
   * @throws the scrape's failure: the message of an Error is shown
   */
  scrape(signal: AbortSignal): Promise<string>;
}

export interface RegisteredSource {
  /** The endpoint under which captures have it. */
  readonly url: string;
  /** Scrapes fail from now on. */
  dispose(): void;
}

/** What the extension exports to others. */
export interface ServerMetricsApi {
  readonly apiVersion: 1;
  /** @throws Error for an id that is taken or cannot be part of an address */
  registerSource(source: MetricsSource): Promise<RegisteredSource>;
}

const ID = /^[\w-]{1,64}$/;

/**
 * Serves the sources of other extensions as endpoints of this machine, so that a capture has them as it has any other:
 * on its grid, with gaps, journal and files. The server starts with the first source.
 */
export class RegisteredSources implements ServerMetricsApi {
  readonly apiVersion = 1;
  private readonly sources = new Map<string, MetricsSource>();
  /** Ids that were registered once. */
  private readonly ended = new Set<string>();
  private listening: Promise<{ readonly server: Server; readonly origin: string }> | undefined;

  async registerSource(source: MetricsSource): Promise<RegisteredSource> {
    const { id } = source;
    if (!ID.test(id)) throw new Error(`The id of a source is up to 64 letters, digits, dashes or underscores: ${id}`);
    if (this.sources.has(id)) throw new Error(`A source ${id} already exists.`);
    this.sources.set(id, source);
    try {
      const { origin } = await (this.listening ??= this.listen());
      return { url: `${origin}/sources/${id}/metrics`, dispose: () => this.forget(id, source) };
    } catch (error) {
      this.sources.delete(id);
      this.listening = undefined;
      throw error;
    }
  }

  /** Ends the server; all scrapes of sources fail. */
  dispose(): void {
    this.sources.clear();
    void this.listening?.then(
      ({ server }) => {
        server.close();
        server.closeAllConnections();
      },
      () => undefined,
    );
    this.listening = undefined;
  }

  private forget(id: string, source: MetricsSource): void {
    if (this.sources.get(id) === source && this.sources.delete(id)) this.ended.add(id);
  }

  private listen(): Promise<{ readonly server: Server; readonly origin: string }> {
    return new Promise((resolve, reject) => {
      const server = createServer((request, response) => void this.answer(request, response));
      server.once("error", reject);
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        const port = typeof address === "object" && address !== null ? address.port : 0;
        resolve({ server, origin: `http://127.0.0.1:${port}` });
      });
    });
  }

  /** Never rejects. */
  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, type: string, body: string) => {
      response.writeHead(status, { "content-type": type });
      response.end(request.method === "HEAD" ? "" : body);
    };
    const text = "text/plain; charset=utf-8";
    // A page of a browser that has this name resolve to this machine is none of ours.
    if (!/^127\.0\.0\.1:\d+$/.test(request.headers.host ?? "")) return send(403, text, "Only for this machine.\n");
    const [, id = ""] = /^\/sources\/([\w-]+)\/metrics$/.exec(request.url ?? "") ?? [];
    const source = this.sources.get(id);
    if (source === undefined)
      return this.ended.has(id)
        ? send(410, text, "The extension that supplied this source has ended it.\n")
        : send(404, text, "No such source is registered.\n");
    // The test of an endpoint asks with HEAD first: that reads nothing.
    if (request.method === "HEAD") return send(200, text, "");
    const given = new AbortController();
    response.once("close", () => given.abort());
    try {
      const body = await source.scrape(given.signal);
      const isOpenMetrics = /# EOF\n?$/.test(body);
      send(200, isOpenMetrics ? "application/openmetrics-text; version=1.0.0" : `${text}; version=0.0.4`, body);
    } catch (error) {
      if (!response.headersSent) send(500, text, messageOf(error));
    }
  }
}
