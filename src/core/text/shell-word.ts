/** One word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** As `shellWord`, bare where every shell takes it as it is. */
export function bareShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellWord(text);
}
