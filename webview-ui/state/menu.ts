import type { Labels, SeriesId } from "../../src/core/model/index.js";
import type { QuerySubject } from "../../src/core/query/copy/index.js";

export interface SeriesRef {
  readonly id: SeriesId;
  readonly endpointUrl: string;
  readonly labels: Labels;
}

/** What a menu is about: a family, or some series of it. */
export interface MenuSubject {
  readonly family: string;
  readonly series?: readonly SeriesRef[];
  /** What a copied query is to give: the course of its values, as a chart shows it, or a table's statistics. */
  readonly shows: QuerySubject["shows"];
}

export interface OpenMenu {
  /** The menu stands beneath it, and it gets the focus back. */
  readonly anchor: Element;
  readonly subject: MenuSubject;
  /** Opened from the family's own chart: it is not offered to show that. */
  readonly ofChart?: boolean;
}
