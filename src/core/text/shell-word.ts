/** One word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** As `shellWord`, bare where every shell takes it as it is. */
export const bareShellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellWord(text));
