import { writeFileSync } from "node:fs";

/**
 * A reporter of vitest that writes what failed outside of any test, which its JSON leaves out, to the file that
 * OUTSIDE_ERRORS names: a list of `{ file, message }`, `file` absent where vitest does not know it.
 */
export default class OutsideErrors {
  /**
   * @param {unknown} _modules
   * @param {readonly { message: string, VITEST_TEST_PATH?: unknown }[]} errors
   */
  onTestRunEnd(_modules, errors) {
    const path = process.env["OUTSIDE_ERRORS"];
    if (path === undefined) return;
    const found = errors.map(({ message, VITEST_TEST_PATH: file }) => ({ file, message }));
    writeFileSync(path, JSON.stringify(found));
  }
}
