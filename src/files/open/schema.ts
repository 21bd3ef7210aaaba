import { UserError } from "../../core/text/errors.js";
import { type Problem, noteOf } from "../../core/model/index.js";

const MAJOR = 1;
const NEWEST_MINOR = 1;

/**
 * What there is to say of a file's schema version: nothing, or that it is a newer minor one.
 * @throws UserError for a newer major version, with its number
 */
export function schemaNotice(path: string, version: string | undefined): Problem | undefined {
  const match = /^(\d+)(?:\.(\d+))?/.exec(version ?? "");
  if (match === null || version === undefined) return undefined;
  const major = Number(match[1]);
  const minor = Number(match[2] ?? 0);
  if (major > MAJOR)
    throw new UserError(
      `${path} has schema version ${version}: this program reads ${MAJOR}.x.`,
      "Update the extension, or export the run in an older schema.",
    );
  if (major < MAJOR || minor <= NEWEST_MINOR) return undefined;
  return noteOf(
    `The file has schema version ${version}, newer than ${MAJOR}.${NEWEST_MINOR}: its new fields are not shown.`,
  );
}
