/**
 * The endpoint behind an `instance` label, which says host:port of a target scraped at `/metrics`. A label that names a
 * path or a scheme keeps them.
 */
export function urlOfInstance(instance: string): string {
  if (/^https?:\/\//i.test(instance)) return instance;
  return `http://${instance}${instance.includes("/") ? "" : "/metrics"}`;
}

/** The `instance` label that leads back to an endpoint: host:port where that is enough. */
export function instanceOfUrl(url: string): string {
  const [, rest] = /^http:\/\/([^?#]*)$/i.exec(url) ?? [];
  if (rest === undefined || rest.includes("@")) return url;
  const short = rest.replace(/\/metrics$/, "");
  return urlOfInstance(short) === url ? short : urlOfInstance(rest) === url ? rest : url;
}

/** A selector of a store, narrowed to one instance. */
export function selectorOfInstance(selector: string, instance: string): string {
  const matcher = `instance=${JSON.stringify(instance)}`;
  const text = selector.trim();
  if (!text.endsWith("}")) return `${text}{${matcher}}`;
  const open = text.slice(0, -1).trimEnd();
  return `${open}${/[{,]$/.test(open) ? "" : ","}${matcher}}`;
}
