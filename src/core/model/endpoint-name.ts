/** How an endpoint is shown: host:port plus path, without scheme, credentials, query and the `/metrics` suffix. */
export function displayName(url: string): string {
  return url
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^[^/?#]*@/, "")
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\/metrics$/, "");
}
