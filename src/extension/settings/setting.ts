import { type BareUnit, parseDuration, UserError } from "../../core/text/index.js";

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
  };
  /** @throws UserError that names the setting, the value found and the values accepted. */
  parse(value: unknown): T;
}

/** The error for a value that a setting cannot have. */
export function invalidSetting(key: string, expected: string, found: unknown): UserError {
  const shown = found === undefined ? "nothing" : JSON.stringify(found);
  return new UserError(`The setting ${key} must be ${expected}; it is ${shown}.`, "Correct it in the settings.", {
    setting: key,
  });
}

/** A number from `minimum` to `maximum`. @param unit as the error names it */
export function numberSetting(
  key: string,
  byDefault: number,
  minimum: number,
  maximum: number,
  unit: string,
): Setting<number> {
  return {
    key,
    default: byDefault,
    limits: { minimum, maximum },
    parse(value) {
      if (typeof value === "number" && value >= minimum && value <= maximum) return value;
      throw invalidSetting(key, `a number of ${unit} from ${minimum} to ${maximum}`, value);
    },
  };
}

/** A time: a number in `unit`, or a text with a unit of its own such as "333ms". Read as a number in `unit`. */
export function durationSetting(
  key: string,
  byDefault: number,
  minimum: number,
  maximum: number,
  unit: BareUnit,
): Setting<number> {
  return {
    key,
    default: byDefault,
    limits: { minimum, maximum, isDuration: true },
    parse(value) {
      const time = typeof value === "string" ? parseDuration(value, unit) : value;
      if (typeof time === "number" && time >= minimum && time <= maximum) return time;
      const units = unit === "seconds" ? "333ms, 10s or 5m" : "333ms or 1s";
      throw invalidSetting(key, `a number of ${unit} from ${minimum} to ${maximum}, or a time such as ${units}`, value);
    },
  };
}

/** A whole number from `minimum` to `maximum`. @param what is counted, as the error names it */
export function integerSetting(
  key: string,
  byDefault: number,
  minimum: number,
  maximum: number,
  what: string,
): Setting<number> {
  return {
    key,
    default: byDefault,
    limits: { minimum, maximum },
    parse(value) {
      if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum) return value;
      throw invalidSetting(key, `${what} from ${minimum} to ${maximum}`, value);
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
