/**
 * How an endpoint is shown: host:port plus path, without scheme, credentials, query and the `/metrics` suffix. Of
 * several that differ only in a secret, with its number.
 */
export function displayName(url: string): string {
  const number = /#(\d+)$/.exec(url)?.[1];
  const name = url
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^[^/?#]*@/, "")
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\/metrics$/, "");
  return number === undefined ? name : `${name} #${number}`;
}
