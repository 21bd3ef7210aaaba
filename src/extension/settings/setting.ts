import { t } from "@vscode/l10n";
import type { OptionRange } from "../../core/model/index.js";
import { isFields, parseDuration, UserError } from "../../core/text/index.js";

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
  return new UserError(message, t("Correct it in the settings."), { setting: key });
}

/** The error for a value that a setting cannot have. */
export function invalidSetting(key: string, expected: string, found: unknown): UserError {
  const shown = found === undefined ? "nothing" : JSON.stringify(found);
  return settingError(key, t`The setting ${key} must be ${expected}; it is ${shown}.`);
}

/**
 * A setting that is read whole or not at all.
 * @param expected what its value must be
 * @param read undefined for a value that it cannot have
 */
export function setting<T>(
  key: string,
  byDefault: T,
  expected: string,
  read: (value: unknown) => T | undefined,
  limits: Setting<T>["limits"] = {},
): Setting<T> {
  return {
    key,
    default: byDefault,
    limits,
    parse(value) {
      const found = read(value);
      if (found === undefined) throw invalidSetting(key, expected, value);
      return found;
    },
  };
}

/** A number of a range. A time may also be a text with a unit, such as "333ms"; it is read as seconds. */
export function rangeSetting(key: string, { min, max, byDefault, unit, isWhole }: OptionRange): Setting<number> {
  const isDuration = unit === "seconds";
  const what = t`a ${isWhole === true ? t("whole ") : ""}number${unit === "" ? "" : t` of ${unit}`} from ${min} to ${max}`;
  const read = (value: unknown) => {
    const number = isDuration && typeof value === "string" ? parseDuration(value) : value;
    const isInRange = typeof number === "number" && number >= min && number <= max;
    return isInRange && (isWhole !== true || Number.isInteger(number)) ? number : undefined;
  };
  return setting(key, byDefault, `${what}${isDuration ? t(", or a time such as 333ms, 10s or 5m") : ""}`, read, {
    minimum: min,
    maximum: max,
    ...(isDuration ? { isDuration } : {}),
    ...(isWhole === true ? { isWhole } : {}),
  });
}

/** On or off. */
export function flagSetting(key: string, byDefault: boolean): Setting<boolean> {
  return setting(key, byDefault, t("true or false"), (value) => (typeof value === "boolean" ? value : undefined));
}

/** Any text. */
export function textSetting(key: string, byDefault: string): Setting<string> {
  return setting(key, byDefault, t("a text"), (value) => (typeof value === "string" ? value : undefined));
}

/** One of several texts. */
export function choiceSetting<T extends string>(key: string, byDefault: T, values: readonly T[]): Setting<T> {
  const read = (value: unknown) => values.find((one) => one === value);
  return setting(key, byDefault, t`one of ${values.join(", ")}`, read, { values });
}

/** Several of some texts, in the order of these. @param least how many */
export function choicesSetting<T extends string>(
  key: string,
  byDefault: readonly T[],
  values: readonly T[],
  least: 0 | 1,
): Setting<readonly T[]> {
  const isKnown = (one: unknown) => values.some((known) => known === one);
  const read = (value: unknown) =>
    Array.isArray(value) && value.length >= least && value.every(isKnown)
      ? values.filter((known) => value.includes(known))
      : undefined;
  const expected = t`a list of ${least === 0 ? "" : t("at least one of ")}${values.join(", ")}`;
  return setting(key, byDefault, expected, read, { values });
}

/**
 * A list.
 * @param expected what each of its items must be
 * @param read undefined for an item that cannot be taken; a UserError says more of it, at its place
 */
export function listSetting<T>(
  key: string,
  byDefault: readonly T[],
  expected: string,
  read: (item: unknown, at: string) => T | undefined,
): Setting<readonly T[]> {
  return {
    key,
    default: byDefault,
    parse(value) {
      if (!Array.isArray(value)) throw invalidSetting(key, t("a list"), value);
      return value.map((item: unknown, index) => {
        const at = t`${key}, entry ${index + 1}`;
        return read(item, at) ?? throwInvalidPart(key, at, expected, item);
      });
    },
  };
}

/**
 * An object of names and values.
 * @param expected what it must be
 * @param expectedValue what each of its values must be
 * @param read undefined for a value that cannot be taken
 */
export function recordSetting<T>(
  key: string,
  expected: string,
  expectedValue: string,
  read: (value: unknown, name: string) => T | undefined,
): Setting<Readonly<Record<string, T>>> {
  return {
    key,
    default: {},
    parse(found) {
      if (!isFields(found)) throw invalidSetting(key, expected, found);
      const entries = Object.entries(found).map(([name, value]): [string, T] => [
        name,
        read(value, name) ?? throwInvalidPart(key, `${key}, ${name}`, expectedValue, value),
      ]);
      return Object.fromEntries(entries);
    },
  };
}

function throwInvalidPart(key: string, at: string, expected: string, found: unknown): never {
  throw settingError(key, t`${at}: must be ${expected}; it is ${JSON.stringify(found)}.`);
}
