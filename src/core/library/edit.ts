import type { NoteEdit, RunNote } from "./types.js";

/** A note as it is after an edit. */
export function editedNote(note: RunNote, edit: NoteEdit): RunNote {
  const { label = "", note: text = "", tags = [], star = false, archived = false } = { ...note, ...edit };
  return {
    ...(label.trim() === "" ? {} : { label: label.trim() }),
    ...(text.trim() === "" ? {} : { note: text.trim() }),
    ...(tags.length === 0 ? {} : { tags: [...new Set(tags)].sort() }),
    ...(star ? { star } : {}),
    ...(archived ? { archived } : {}),
  };
}
