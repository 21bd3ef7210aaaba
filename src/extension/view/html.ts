/** What the page needs from its webview; as `Webview` gives it. */
export interface PageParts {
  readonly cspSource: string;
  /** Base64, new for each page. */
  readonly nonce: string;
  readonly script: string;
  readonly styles: readonly string[];
  /** What the bundle shows on it. */
  readonly view: "run" | "comparison" | "sweep" | "library" | "experiment";
}

/** A view's page. Nothing runs or loads but the bundle; nothing goes out. */
export function viewHtml({ cspSource, nonce, script, styles, view }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} 'nonce-${nonce}'`,
    `img-src ${cspSource} data:`,
    `font-src ${cspSource}`,
  ].join("; ");
  const links = styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("\n  ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta property="csp-nonce" content="${nonce}">
  <meta name="viewport" content="width=device-width, initial-scale=1.0">
  ${links}
  <title>Server Metrics</title>
</head>
<body>
  <div id="root" data-view="${view}"></div>
  <script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
