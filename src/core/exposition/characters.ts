export const TAB = 0x09;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const HASH = 0x23;
export const COMMA = 0x2c;
export const EQUALS = 0x3d;
export const BACKSLASH = 0x5c;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

const LABEL_START = 1;
const LABEL_CHARACTER = 2;
const METRIC_START = 4;
const METRIC_CHARACTER = 8;

const CLASSES = new Uint8Array(256);
for (let c = 0; c < 128; c++) {
  const character = String.fromCharCode(c);
  if (/[a-zA-Z_]/.test(character)) CLASSES[c] = LABEL_START | LABEL_CHARACTER | METRIC_START | METRIC_CHARACTER;
  else if (character === ":") CLASSES[c] = METRIC_START | METRIC_CHARACTER;
  else if (/[0-9]/.test(character)) CLASSES[c] = LABEL_CHARACTER | METRIC_CHARACTER;
}

const has = (c: number, mask: number) => ((CLASSES[c] ?? 0) & mask) !== 0;

/** Whether a byte may begin a metric's name: `[a-zA-Z_:]`. */
export const isMetricStart = (c: number) => has(c, METRIC_START);
/** Whether a byte may stand in a metric's name: `[a-zA-Z0-9_:]`. */
export const isMetricCharacter = (c: number) => has(c, METRIC_CHARACTER);
/** Whether a byte may begin a label's name: `[a-zA-Z_]`. */
export const isLabelStart = (c: number) => has(c, LABEL_START);
/** Whether a byte may stand in a label's name: `[a-zA-Z0-9_]`. */
export const isLabelCharacter = (c: number) => has(c, LABEL_CHARACTER);
/** Whether a byte is a space or a tab. */
export const isBlank = (c: number) => c === SPACE || c === TAB;
