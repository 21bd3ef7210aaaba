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
 * @throws SyntaxError as JSON.parse does; RangeError for too many values
 */
export function parseJson(text: string): unknown {
  if (text.length > UNCOUNTED) refuseMany(text);
  return JSON.parse(text) as unknown;
}

function refuseMany(text: string): void {
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c !== COMMA && c !== OPEN_BRACE && c !== OPEN_BRACKET) continue;
    if (++values > MAX_VALUES) throw new RangeError(`it has more than ${grouped(MAX_VALUES)} JSON values in one piece`);
  }
}
