import { Disposable, workspace, type GlobPattern, type Uri } from "vscode";

/** Tells when a file of a pattern is made, changed or deleted. */
export function watchFiles(pattern: GlobPattern, listener: (file: Uri) => void): Disposable {
  const watcher = workspace.createFileSystemWatcher(pattern);
  return Disposable.from(
    watcher,
    watcher.onDidCreate(listener),
    watcher.onDidChange(listener),
    watcher.onDidDelete(listener),
  );
}
