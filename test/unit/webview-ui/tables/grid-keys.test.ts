import { describe, expect, it } from "vitest";
import { HEAD_ROW, placeAfter, rowAction } from "../../../../webview-ui/tables/grid-head.js";

const extent = { rows: 100, columns: 5, page: 20 };
const press = (key: string, modifiers: { readonly ctrlKey?: boolean; readonly shiftKey?: boolean } = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...modifiers,
});

describe("keys of a table", () => {
  const from = (key: string, row: number, column: number, modifiers = {}) => {
    const to = placeAfter(press(key, modifiers), { row, column }, extent);
    return to === undefined ? undefined : [to.row, to.column];
  };

  it("go by one cell, from the first row up to the heads, and never out of the table", () => {
    expect(from("ArrowDown", 3, 2)).toEqual([4, 2]);
    expect(from("ArrowDown", 99, 2)).toEqual([99, 2]);
    expect(from("ArrowUp", 0, 2)).toEqual([HEAD_ROW, 2]);
    expect(from("ArrowUp", HEAD_ROW, 2)).toEqual([HEAD_ROW, 2]);
    expect(from("ArrowLeft", 3, 0)).toEqual([3, 0]);
    expect(from("ArrowRight", 3, 4)).toEqual([3, 4]);
  });

  it("go by pages, to the ends of a row, and with Ctrl to those of the table", () => {
    expect(from("PageDown", 90, 1)).toEqual([99, 1]);
    expect(from("PageUp", 10, 1)).toEqual([0, 1]);
    expect(from("Home", 7, 3)).toEqual([7, 0]);
    expect(from("End", 7, 3)).toEqual([7, 4]);
    expect(from("Home", 7, 3, { ctrlKey: true })).toEqual([0, 0]);
    expect(from("End", 7, 3, { ctrlKey: true })).toEqual([99, 4]);
  });

  it("leave what they do not mean alone", () => {
    expect(from("ArrowRight", 3, 2, { shiftKey: true })).toBeUndefined();
    expect(from("ArrowDown", 3, 2, { ctrlKey: true })).toBeUndefined();
    expect(from("a", 3, 2)).toBeUndefined();
  });

  it("act on a row", () => {
    expect(rowAction(press("Enter"))).toBe("open");
    expect(rowAction(press(" "))).toBe("details");
    expect(rowAction(press("c", { ctrlKey: true }))).toBe("copy");
    expect(rowAction(press("c"))).toBeUndefined();
    expect(rowAction(press("F10", { shiftKey: true }))).toBe("menu");
    expect(rowAction(press("ContextMenu"))).toBe("menu");
    expect(rowAction(press("F2"))).toBe("edit");
  });
});
