import { commands, Disposable } from "vscode";
import type { CommandId } from "./manifest/commands.js";

export type CommandHandler = (...args: readonly unknown[]) => unknown;

/** One handler for each command of the manifest, exhaustively. */
export type CommandHandlers = { readonly [K in CommandId]: CommandHandler };

/**
 * Registers every command; a handler that fails ends in `onFailure`, never in VS Code's bare "command failed" message.
 */
export function registerCommands(
  handlers: Readonly<Record<string, CommandHandler>>,
  onFailure: (error: unknown) => void,
): Disposable {
  const guarded =
    (handler: CommandHandler) =>
    async (...args: unknown[]) => {
      try {
        await handler(...args);
      } catch (error) {
        onFailure(error);
      }
    };
  return Disposable.from(
    ...Object.entries(handlers).map(([id, handler]) => commands.registerCommand(id, guarded(handler))),
  );
}
