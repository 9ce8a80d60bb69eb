/** Names for a message: `` `a`, `b` ``. The text is empty if there are none. */
export const inBackticks = (names: readonly string[], separator = ", "): string =>
  names.map((name) => `\`${name}\``).join(separator);
