import { build } from "esbuild";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
const NONCE = "harness";

/** The page as the extension makes it: same content security policy, same root element, same order of style sheets. */
const page = (root: string, host: string) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-${NONCE}'; style-src 'self' 'nonce-${NONCE}'; img-src 'self' data:; font-src 'self'">
<meta property="csp-nonce" content="${NONCE}">
<link rel="stylesheet" href="/webview.css">
<link rel="icon" href="data:,">
<title>Server Metrics</title>
</head>
<body>
<div ${root}></div>
<script nonce="${NONCE}" src="/${host}.js"></script>
<script nonce="${NONCE}" src="/webview.js"></script>
</body>
</html>`;

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
 * /comparison and /sweep.
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
  files.set("/", { type: "text/html", body: Buffer.from(page('id="root"', "host")) });
  files.set("/comparison", {
    type: "text/html",
    body: Buffer.from(page('id="root" data-view="comparison"', "comparison-host")),
  });
  files.set("/sweep", {
    type: "text/html",
    body: Buffer.from(page('id="root" data-view="sweep"', "sweep-host")),
  });

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
