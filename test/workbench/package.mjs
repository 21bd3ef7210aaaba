/**
 * `npm run package`: builds dist/ and packs the extension into <name>-<version>.vsix, with the list of what it contains
 * beside it, and the command line into <name>-<version>.tgz.
 */
import { build, packageExtension, packCommandLine } from "./project.mjs";

try {
  await build();
  await packageExtension();
  await packCommandLine();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
