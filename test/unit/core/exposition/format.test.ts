import { expect, it } from "vitest";
import { formatOfContentType, isJsonContentType } from "../../../../src/core/exposition/index.js";

it("formatOfContentType knows the format by the media type alone", () => {
  expect(formatOfContentType("application/openmetrics-text; version=1.0.0; charset=utf-8")).toBe("openmetrics");
  expect(formatOfContentType("Application/OpenMetrics-Text")).toBe("openmetrics");
  for (const type of [
    "text/plain; version=0.0.4",
    "text/plain",
    "",
    "text/html",
    "text/plain; x=application/openmetrics-text",
  ])
    expect(formatOfContentType(type)).toBe("text");
});

it("formatOfContentType knows JSON under its names", () => {
  for (const type of [
    "application/json",
    "application/json; charset=utf-8",
    " Application/JSON ",
    "application/problem+json",
  ])
    expect(isJsonContentType(type)).toBe(true);
  for (const type of ["text/plain", "", "application/jsonp", "text/plain; application/json"])
    expect(isJsonContentType(type)).toBe(false);
});
