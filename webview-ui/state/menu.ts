import type { Labels, OffsetNs, SeriesId } from "../../src/core/model/index.js";
import type { QuerySubject } from "../../src/core/query/copy/index.js";

export interface ChosenSeries {
  readonly id: SeriesId;
  readonly endpointUrl: string;
  readonly labels: Labels;
}

/** What a menu is about: a family, or some series of it. */
export interface MenuSubject {
  readonly family: string;
  readonly series?: readonly ChosenSeries[];
  /** What a copied query is to give: the course of its values, as a chart shows it, or a table's statistics. */
  readonly shows: QuerySubject["shows"];
}

/** What can be done with a chart from its own menu. */
export interface ChartOfMenu {
  /** Whether its scale is logarithmic, where it has one. */
  readonly logarithmic?: boolean;
  readonly onLogarithmic: (on: boolean) => void;
  /** Its drawing with title and legend, put on the clipboard. */
  readonly copyPicture: () => Promise<void>;
  /** What is drawn, as CSV; absent where it is no lines. */
  readonly data?: () => string;
  /** The time that was pointed at in it, where a mark can be set. */
  readonly at?: OffsetNs;
}

export interface OpenMenu {
  /** The menu stands beneath it, and it gets the focus back. */
  readonly anchor: Element;
  /** Where the pointer asked for it, CSS pixels: it stands there instead. */
  readonly place?: { readonly x: number; readonly y: number };
  readonly subject: MenuSubject;
  /** Opened from the family's own chart: it is not offered to show that. */
  readonly chart?: ChartOfMenu;
}
