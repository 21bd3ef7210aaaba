import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { viewHtml, type PageParts } from "../../../src/extension/view/html.js";

const ROOT = join(import.meta.dirname, "../../..");
const NONCE = "harness";
/** Every text of the pages in a language of brackets: of its English what no translation reaches stays bare. */
const TEXTS = Object.keys(
  JSON.parse(readFileSync(join(ROOT, "media/l10n/bundle.l10n.json"), "utf8")) as Record<string, string>,
);
const BRACKETED = Object.fromEntries(TEXTS.map((text) => [text, `⟦${text}⟧`]));

/** The page as the extension makes it, with a stand-in for the host in front of the view's own script. */
function page(view: PageParts["view"], host: string, texts?: PageParts["texts"]): Uint8Array {
  const html = viewHtml({
    cspSource: "'self'",
    nonce: NONCE,
    script: "/webview.js",
    styles: ["/webview.css"],
    view,
    texts,
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
 * /comparison, /library and /experiment; below /bracketed the same with all texts of the pages in ⟦brackets⟧.
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
  for (const [at, view, host] of [
    ["/", "run", "host"],
    ["/comparison", "comparison", "comparison-host"],
    ["/library", "library", "library-host"],
    ["/experiment", "experiment", "experiment-host"],
  ] as const) {
    files.set(at, { type: "text/html", body: page(view, host) });
    files.set(`/bracketed${at}`, { type: "text/html", body: page(view, host, BRACKETED) });
  }

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
