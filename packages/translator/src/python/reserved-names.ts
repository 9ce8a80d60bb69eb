/** Words that no variable of Python 3.10 to 3.13 can have as its name, and those with a meaning in some places. */
export const keywords: ReadonlySet<string> = new Set(
  `
False None True and as assert async await break class continue def del elif else except finally for from global if import
in is lambda nonlocal not or pass raise return try while with yield match case type self
`
    .trim()
    .split(/\s+/),
);
