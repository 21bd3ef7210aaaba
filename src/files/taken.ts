import { stat } from "node:fs/promises";

/** Whether there is a file or folder of this path, as far as this process may see. */
export function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** A path that is not taken. @param pathOf of a suffix: none, then -2, -3 */
export async function freePath(pathOf: (suffix: string) => string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = pathOf(number === 1 ? "" : `-${number}`);
    if (!(await isThere(path))) return path;
  }
}
