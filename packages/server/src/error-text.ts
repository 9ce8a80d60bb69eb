import { messageOf } from "@tritype/core";

/**
 * A failure's message for the client: up to a NUL, where Triton's text also ends, and shortened if it quotes a long request.
 * @param longest Maximum number of characters.
 */
export const errorText = (error: unknown, longest: number): string => {
  const text = messageOf(error).split("\0", 1)[0] ?? "";
  if (text.length <= longest) return text;
  const end = Math.floor(longest / 4);
  const left = text.length - longest;
  return `${text.slice(0, longest - end)}… (${left} more characters) …${text.slice(-end)}`;
};
