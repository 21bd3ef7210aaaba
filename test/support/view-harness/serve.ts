import { build } from "esbuild";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { viewHtml, type PageParts } from "../../../src/extension/view/html.js";

const ROOT = join(import.meta.dirname, "../../..");
const NONCE = "harness";

/** The page as the extension makes it, with a stand-in for the host in front of the view's own script. */
function page(view: PageParts["view"], host: string): Uint8Array {
  const html = viewHtml({
    cspSource: "'self'",
    nonce: NONCE,
    script: "/webview.js",
    styles: ["/webview.css"],
    view,
  });
  const own = `<script nonce="${NONCE}" src=`;
  return Buffer.from(html.replace(own, `${own}"/${host}.js"></script>\n  ${own}`));
}

/** The stand-in host keeps runs in the project's own store, whose memory is shared: a page has that only by itself. */
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

export interface ServedView {
  readonly url: string;
  /** Size of the view's own bundle, minified. */
  readonly scriptBytes: number;
  close(): Promise<void>;
}

/**
 * Bundles the view and its stand-in hosts and serves them on a free port: the run view at /, the others at
 * /comparison, /sweep, /library and /experiment.
 */
export async function serveView(): Promise<ServedView> {
  const options = {
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "chrome120",
    outdir: "out",
    loader: { ".svg": "dataurl" },
  } as const;
  const [view, host] = await Promise.all([
    build({ ...options, entryPoints: { webview: join(ROOT, "webview-ui/main.tsx") } }),
    build({
      ...options,
      alias: { "node:timers/promises": join(import.meta.dirname, "timers.ts") },
      entryPoints: {
        host: join(import.meta.dirname, "host.ts"),
        "comparison-host": join(import.meta.dirname, "comparison-host.ts"),
        "sweep-host": join(import.meta.dirname, "sweep-host.ts"),
        "library-host": join(import.meta.dirname, "library-host.ts"),
        "experiment-host": join(import.meta.dirname, "experiment-host.ts"),
      },
    }),
  ]);
  const files = new Map<string, { readonly type: string; readonly body: Uint8Array }>();
  for (const { path, contents } of [...view.outputFiles, ...host.outputFiles]) {
    files.set(path.slice(path.lastIndexOf("/")), {
      type: path.endsWith(".css") ? "text/css" : "text/javascript",
      body: contents,
    });
  }
  // A browser asks for it by itself, and would complain.
  files.set("/favicon.ico", { type: "image/x-icon", body: Buffer.alloc(0) });
  files.set("/", { type: "text/html", body: page("run", "host") });
  files.set("/comparison", { type: "text/html", body: page("comparison", "comparison-host") });
  files.set("/sweep", { type: "text/html", body: page("sweep", "sweep-host") });
  files.set("/library", { type: "text/html", body: page("library", "library-host") });
  files.set("/experiment", { type: "text/html", body: page("experiment", "experiment-host") });

  const server = createServer((request, response) => {
    const file = files.get(new URL(request.url ?? "/", "http://localhost").pathname);
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": file.type, ...ISOLATED }).end(file.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    scriptBytes: files.get("/webview.js")?.body.length ?? 0,
    close: () =>
      new Promise((resolve, reject) => server.close((error) => (error === undefined ? resolve() : reject(error)))),
  };
}
