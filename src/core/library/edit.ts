import type { NoteChange, NoteEdit } from "./types.js";

/** What an edit changes of a note. */
export function noteChange({ label, note, tags, star, archived }: NoteEdit): NoteChange {
  return {
    ...(label === undefined ? {} : { label: label.trim() === "" ? undefined : label.trim() }),
    ...(note === undefined ? {} : { note: note.trim() === "" ? undefined : note.trim() }),
    ...(tags === undefined ? {} : { tags: tags.length === 0 ? undefined : [...new Set(tags)].sort() }),
    ...(star === undefined ? {} : { star: star ? true : undefined }),
    ...(archived === undefined ? {} : { archived: archived ? true : undefined }),
  };
}
