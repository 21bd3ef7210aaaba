import { UserError } from "../core/text/errors.js";

/** @param what needs it, at the beginning of a sentence */
export function desktopOnly(what: string): UserError {
  return new UserError(
    `${what} needs VS Code on a desktop or a remote: in the browser, runs are opened and compared, read-only.`,
    "Open this folder there.",
    { code: "desktop-only" },
  );
}

/** A module of which only this is there: everything else refuses when it is used. */
export function partOf(own: object, what: string): object {
  const refuse = function (): never {
    throw desktopOnly(what);
  };
  const refused = new Proxy(
    {},
    { get: (_, name) => (typeof name === "symbol" || name === "__esModule" ? undefined : refuse) },
  );
  return Object.create(refused, Object.getOwnPropertyDescriptors(own)) as object;
}
