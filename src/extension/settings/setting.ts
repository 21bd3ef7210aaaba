import type { OptionRange } from "../../core/model/index.js";
import { parseDuration, UserError } from "../../core/text/index.js";

/** One setting of the manifest: its key, the manifest's default, and how its value is checked when read. */
export interface Setting<T> {
  readonly key: string;
  readonly default: T;
  /** What the manifest's schema must say too. */
  readonly limits?: {
    readonly minimum?: number;
    readonly maximum?: number;
    readonly values?: readonly string[];
    /** Takes texts with a unit, too. */
    readonly isDuration?: true;
    readonly isWhole?: true;
  };
  /** @throws UserError that names the setting, the value found and the values accepted. */
  parse(value: unknown): T;
}

/** The error for what a setting cannot be, with a button that opens it. @param message names the setting */
export function settingError(key: string, message: string): UserError {
  return new UserError(message, "Correct it in the settings.", { setting: key });
}

/** The error for a value that a setting cannot have. */
export function invalidSetting(key: string, expected: string, found: unknown): UserError {
  const shown = found === undefined ? "nothing" : JSON.stringify(found);
  return settingError(key, `The setting ${key} must be ${expected}; it is ${shown}.`);
}

/** A number of a range. A time may also be a text with a unit, such as "333ms"; it is read as seconds. */
export function rangeSetting(key: string, range: OptionRange): Setting<number> {
  const { min, max, byDefault, unit, isWhole } = range;
  const isDuration = unit === "seconds";
  return {
    key,
    default: byDefault,
    limits: {
      minimum: min,
      maximum: max,
      ...(isDuration ? { isDuration } : {}),
      ...(isWhole === true ? { isWhole } : {}),
    },
    parse(value) {
      const number = isDuration && typeof value === "string" ? parseDuration(value) : value;
      if (
        typeof number === "number" &&
        number >= min &&
        number <= max &&
        (isWhole !== true || Number.isInteger(number))
      )
        return number;
      const what = `a ${isWhole === true ? "whole " : ""}number${unit === "" ? "" : ` of ${unit}`} from ${min} to ${max}`;
      throw invalidSetting(key, `${what}${isDuration ? ", or a time such as 333ms, 10s or 5m" : ""}`, value);
    },
  };
}

/** On or off. */
export function flagSetting(key: string, byDefault: boolean): Setting<boolean> {
  return {
    key,
    default: byDefault,
    parse(value) {
      if (typeof value === "boolean") return value;
      throw invalidSetting(key, "true or false", value);
    },
  };
}

/** Any text. */
export function textSetting(key: string, byDefault: string): Setting<string> {
  return {
    key,
    default: byDefault,
    parse(value) {
      if (typeof value === "string") return value;
      throw invalidSetting(key, "a text", value);
    },
  };
}

/** One of several texts. */
export function choiceSetting<T extends string>(key: string, byDefault: T, values: readonly T[]): Setting<T> {
  return {
    key,
    default: byDefault,
    limits: { values },
    parse(value) {
      const found = values.find((one) => one === value);
      if (found !== undefined) return found;
      throw invalidSetting(key, `one of ${values.join(", ")}`, value);
    },
  };
}

/** Several of some texts, in the order of these. @param least how many */
export function choicesSetting<T extends string>(
  key: string,
  byDefault: readonly T[],
  values: readonly T[],
  least: 0 | 1,
): Setting<readonly T[]> {
  return {
    key,
    default: byDefault,
    limits: { values },
    parse(value) {
      const isKnown = (one: unknown) => values.some((known) => known === one);
      if (Array.isArray(value) && value.length >= least && value.every(isKnown))
        return values.filter((known) => value.includes(known));
      throw invalidSetting(key, `a list of ${least === 0 ? "" : "at least one of "}${values.join(", ")}`, value);
    },
  };
}

/** A list. @param parseItem throws a UserError for an item that cannot be taken */
export function listSetting<T>(
  key: string,
  byDefault: readonly T[],
  parseItem: (value: unknown, index: number) => T,
): Setting<readonly T[]> {
  return {
    key,
    default: byDefault,
    parse(value) {
      if (!Array.isArray(value)) throw invalidSetting(key, "a list", value);
      return value.map((item: unknown, index) => parseItem(item, index));
    },
  };
}
