/**
 * What a client is told of a failure: up to a NUL, where Triton's text ends too, and without what would repeat a request of any length.
 * @param longest Characters.
 */
export const errorText = (error: unknown, longest: number): string => {
  const text = (error instanceof Error ? error.message : String(error)).split("\0", 1)[0] ?? "";
  if (text.length <= longest) return text;
  const end = Math.floor(longest / 4);
  const left = text.length - longest;
  return `${text.slice(0, longest - end)}… (${left} more characters) …${text.slice(-end)}`;
};
