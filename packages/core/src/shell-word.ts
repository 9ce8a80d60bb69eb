/** A word of a command, in quotes if a shell would split or change it (`{path}` stays as it is, `{a,b}` does not). */
export const shellWord = (word: string): string =>
  /^(?:[\w@%+=:,./-]|\{\w+\})+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
