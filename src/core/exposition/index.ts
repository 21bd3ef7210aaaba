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
export { Notes, type Note } from "./notes.js";
export type { Statement } from "./declarations.js";
export { Roles } from "./roles.js";
export { placeSample, TYPE_WORDS, type DeclaredType } from "./sample-names.js";
