export { ExpositionParser, type ParserOptions } from "./parser.js";
export {
  parseDocument,
  type DocumentNumber,
  type ParsedExemplar,
  type ParsedFamily,
  type ParsedSample,
} from "./document.js";
export { detectFormat, isJsonContentType, type ExpositionFormat, type ParseMode } from "./format.js";
export { ParseError } from "./parse-error.js";
export type { Note } from "./notes.js";
export type { DeclaredType } from "./sample-names.js";
