/** Prometheus text 0.0.4 or OpenMetrics 1.0. */
export type ExpositionFormat = "text" | "openmetrics";

/** How strictly an exposition is judged: as Prometheus would scrape it, or by the letter of its format. */
export type ParseMode = "lenient" | "strict";

/** The format that a `Content-Type` names; text when it names neither. */
export function formatOfContentType(contentType: string): ExpositionFormat {
  return mediaType(contentType) === "application/openmetrics-text" ? "openmetrics" : "text";
}

/** `application/json` or a `+json` type, whatever its parameters: never an exposition. */
export function isJsonContentType(contentType: string): boolean {
  const type = mediaType(contentType);
  return type === "application/json" || type === "text/json" || type.endsWith("+json");
}

function mediaType(contentType: string): string {
  return (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
}
