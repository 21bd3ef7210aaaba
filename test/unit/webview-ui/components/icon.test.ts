import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { ICON_NAMES } from "../../../../webview-ui/components/icon.js";

it("every icon in use has its picture, and no other is carried along", async () => {
  const css = await readFile(new URL("../../../../webview-ui/components/icons.css", import.meta.url), "utf8");
  const pictures = [
    ...css.matchAll(/^\.codicon-([a-z-]+) \{\s*mask-image: url\("@vscode\/codicons\/src\/icons\/([a-z-]+)\.svg"\)/gm),
  ];
  expect(pictures.map(([, name]) => name)).toEqual(ICON_NAMES);
  expect(pictures.map(([, , file]) => file)).toEqual(ICON_NAMES);
});
