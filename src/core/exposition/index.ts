export { ExpositionParser, type ParserOptions } from "./parser.js";
export {
  parseDocument,
  type DocumentNumber,
  type ParsedExemplar,
  type ParsedFamily,
  type ParsedSample,
} from "./document.js";
export { formatOfContentType, isJsonContentType, type ExpositionFormat, type ParseMode } from "./format.js";
export { ParseError } from "./parse-error.js";
export { ParserNotes, type ParserNote } from "./notes.js";
export type { Statement } from "./declarations.js";
export { SampleRoles } from "./roles.js";
export { placeSample, TYPE_WORDS, type DeclaredType } from "./sample-names.js";
