import { grouped } from "./plural.js";

/** Text up to this length is parsed as it is: at worst it takes some twenty times as much memory. */
const UNCOUNTED = 8 * 1024 ** 2;
/** Values of one text at most: each takes up to 60 bytes, and a scrape of 500,000 series has half as many. */
const MAX_VALUES = 10_000_000;

const COMMA = ",".charCodeAt(0);
const OPEN_BRACE = "{".charCodeAt(0);
const OPEN_BRACKET = "[".charCodeAt(0);

/**
 * `JSON.parse` of a text from elsewhere. 80 MB of empty objects would take 1.5 GB at once, and nothing could stop it:
 * a text of so many values is refused before that.
 * @throws SyntaxError, which never quotes the text; RangeError for too many values
 */
export function parseJson(text: string): unknown {
  if (text.length > UNCOUNTED) refuseMany(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new SyntaxError(wordsOf(error));
  }
}

/** V8 quotes the text around what it does not understand, and that may be of a file that nobody meant to be shown. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const place = /at position (\d+)/.exec(message)?.[1];
  if (/^Unexpected end/.test(message)) return "it is not valid JSON: it ends in the middle of a value";
  return `it is not valid JSON${place === undefined ? "" : ` at character ${Number(place) + 1}`}`;
}

function refuseMany(text: string): void {
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c !== COMMA && c !== OPEN_BRACE && c !== OPEN_BRACKET) continue;
    if (++values > MAX_VALUES) throw new RangeError(`it has more than ${grouped(MAX_VALUES)} JSON values in one piece`);
  }
}
