import type { MessagePort } from "node:worker_threads";
import { UserError } from "../../core/text/user-error.js";
import { messageOf, errorCode } from "../../core/text/error-text.js";
import type { ArtifactFormat } from "../../core/artifacts/index.js";
import type { RunPart, SeriesPart } from "../../core/store/index.js";
import type { ExportPlan } from "./artifact-writer.js";
import type { Unit, UnitTexts } from "./statistics-pass.js";

/** What an export's thread is sent: the run, in parts, then what to do with it. */
export type ThreadRequest =
  | { readonly kind: "run"; readonly head: RunPart; readonly plan: ExportPlan }
  | { readonly kind: "series"; readonly part: SeriesPart }
  | {
      readonly kind: "write" | "check";
      readonly id: number;
      readonly format: ArtifactFormat;
      readonly path: string;
    }
  /** Write the file of a phase, by its index among the run's. */
  | { readonly kind: "phase"; readonly id: number; readonly index: number; readonly path: string }
  /** Compute units for the thread at the port's other end; or get them computed there. */
  | { readonly kind: "help" | "helped"; readonly port: MessagePort };

/** A unit that another thread is to compute. */
export interface UnitQuestion {
  readonly id: number;
  readonly unit: Unit;
}

export type UnitAnswer =
  | { readonly id: number; readonly kind: "computed"; readonly texts: UnitTexts }
  | { readonly id: number; readonly kind: "failed"; readonly error: PlainError };

/** What it answers. */
export type ThreadAnswer =
  | { readonly kind: "done"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly error: PlainError }
  | { readonly kind: "progress"; readonly message: string; readonly fraction: number | undefined };

/** An error as plain data: threads do not share classes. */
interface PlainError {
  readonly isFileError: boolean;
  readonly message: string;
  readonly code: string | undefined;
  readonly remedy: string | undefined;
  readonly system: string | undefined;
}

/** An error as another thread can get it. */
export function plainError(error: unknown): PlainError {
  const message = messageOf(error);
  if (error instanceof UserError)
    return { isFileError: true, message, code: error.code, remedy: error.remedy, system: error.system };
  return { isFileError: false, message, code: errorCode(error), remedy: undefined, system: undefined };
}

/** The error that `plainError` has written down. */
export function errorOf({ isFileError, message, code, remedy, system }: PlainError): Error {
  if (isFileError) return new UserError(message, remedy, { code, system });
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
