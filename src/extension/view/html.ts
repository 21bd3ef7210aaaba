/** What the page needs from its webview; as `Webview` gives it. */
export interface PageParts {
  readonly cspSource: string;
  /** Base64, new for each page. */
  readonly nonce: string;
  readonly script: string;
  readonly styles: readonly string[];
  /** What the bundle shows on it. */
  readonly view: "run" | "comparison" | "library" | "experiment";
  /** The language of VS Code, and its texts by the English ones where there is a translation. */
  readonly language?: string;
  readonly texts?: Readonly<Record<string, string>> | undefined;
}

/** A view's page. Nothing runs or loads but the bundle; nothing goes out. */
export function viewHtml({ cspSource, nonce, script, styles, view, language = "en", texts }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} 'nonce-${nonce}'`,
    `img-src ${cspSource} data:`,
    `font-src ${cspSource}`,
  ].join("; ");
  const links = styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("\n  ");
  const translated = texts === undefined ? "" : ` data-texts="${attributeText(JSON.stringify(texts))}"`;
  return `<!DOCTYPE html>
<html lang="${texts === undefined ? "en" : language}">
<head>
  <meta charset="UTF-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta property="csp-nonce" content="${nonce}">
  <meta name="viewport" content="width=device-width, initial-scale=1.0">
  ${links}
  <title>Server Metrics</title>
</head>
<body>
  <div id="root" data-view="${view}"${translated}></div>
  <script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}

function attributeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
