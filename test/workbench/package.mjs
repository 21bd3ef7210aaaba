/** `npm run package`: builds dist/ and packs the extension into <name>-<version>.vsix. */
import { build, packageExtension } from "./project.mjs";

try {
  await build();
  await packageExtension();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
