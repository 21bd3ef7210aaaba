import { beforeEach, expect, it, vi } from "vitest";
import type { JournalFile } from "../../../src/files/journal/files.js";

const { vscode, shown } = vi.hoisted(() => {
  const shown: { readonly message: string; readonly press: (button: string | undefined) => void }[] = [];
  const show = (message: string) =>
    new Promise<string | undefined>((resolve) => void shown.push({ message, press: resolve }));
  const vscode = {
    window: { showInformationMessage: show, showErrorMessage: show, showWarningMessage: show },
    ProgressLocation: {},
    MarkdownString: class {},
    TreeItem: class {},
    EventEmitter: class {},
    Disposable: class {},
  };
  return { vscode, shown };
});
vi.mock("vscode", () => vscode);
const { offerRecovery } = await import("../../../src/extension/capture/recover.js");
const { Notifier } = await import("../../../src/extension/notify.js");
type Parts = Parameters<typeof offerRecovery>[0];

const quiet = () => undefined;
const log = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, show: quiet, dispose: quiet };
let journals: readonly JournalFile[];
const parts = {
  journals: { abandoned: () => Promise.resolve(journals) },
  notifier: new Notifier(log),
  offered: new Set<string>(),
} as unknown as Parts;

const left = (count: number): readonly JournalFile[] =>
  Array.from({ length: count }, (_, i) => ({ path: `/journals/${i}`, bytes: 1024 * (i + 1), modifiedMs: 0 }));

beforeEach(() => {
  shown.splice(0);
  parts.offered.clear();
});

it("the recovery offer shows up to three captures at once, and each only once", async () => {
  journals = left(3);
  await offerRecovery(parts, false);
  await offerRecovery(parts, false);
  expect(shown).toHaveLength(3);
});

it("the recovery offer never shows more messages at once than the workbench does: those after the first wait in the last one", async () => {
  journals = left(6);
  await offerRecovery(parts, false);
  expect(shown).toHaveLength(3);
  expect(shown[0]?.message).toBe("4 more server metrics captures ended before their artifacts were written.");
  // One of those is recovered elsewhere before they are asked for.
  journals = journals.slice(0, 5);
  shown[0]?.press("Show");
  await expect.poll(() => shown.length).toBe(6);
  expect(shown.slice(3).map(({ message }) => message)).toEqual(
    [3, 4, 5].map((kb) => expect.stringContaining(`${kb} KiB`) as string),
  );
});
