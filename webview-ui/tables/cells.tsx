import { splitValue, type FormattedValue } from "../../src/core/catalog/display.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { digits, type Room } from "./columns.js";

/** The exposed name beside a title. */
export function CellName({ name }: { readonly name: string }) {
  return (
    <span class="cell-name muted">
      <TruncatedText text={name} dispensable />
    </span>
  );
}

/**
 * As `splitValue`; of a date only day and time, because a whole one would make each column of a row as wide as it is.
 * The cell's title has it all.
 */
export function cellValue(value: number, unit: string | undefined): FormattedValue {
  const shown = splitValue(value, unit);
  return unit === "timestamp" && shown.unit === "UTC" ? { number: shown.number.slice(5, 16), unit: "" } : shown;
}

/** A number and its unit, set smaller. */
export function ShownNumber({ value, unit }: { readonly value: number; readonly unit: string | undefined }) {
  const shown = cellValue(value, unit);
  return (
    <>
      {shown.number}
      {shown.unit !== "" && <span class="cell-unit">{shown.unit.startsWith("/") ? shown.unit : ` ${shown.unit}`}</span>}
    </>
  );
}

/** Digits are only about as wide as all that. */
const SLACK = 0.3;
/** Unit symbols are set smaller. */
const UNIT_SCALE = 0.9;

/** A column of numbers is as wide as its widest number: none is ever cut. */
export function numberRoom<Row>(title: string, shown: (row: Row) => FormattedValue): Room<Row> {
  return {
    // The arrow of the sorted column has its place in a short title's margin; a long one needs it.
    head: Math.max(4.5, digits(title) * 1.05 + (title.length > 4 ? 2 : 0)),
    needs: (row) => {
      const { number, unit } = shown(row);
      return SLACK + digits(number) + (unit === "" ? 0 : 0.4 + digits(unit) * UNIT_SCALE);
    },
    least: Infinity,
    most: Infinity,
  };
}
