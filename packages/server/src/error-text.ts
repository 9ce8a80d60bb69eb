import { messageOf } from "@tritype/core";

/**
 * A failure's message for the client: up to a NUL, where Triton's text also ends, and shortened if it quotes a long request.
 * Halves of surrogate pairs, which a cut may leave, are replaced: gRPC's library cannot send them.
 * @param longest Maximum number of characters.
 */
export const errorText = (error: unknown, longest: number): string => {
  const text = messageOf(error).split("\0", 1)[0] ?? "";
  const end = Math.floor(longest / 4);
  const cut = `${text.slice(0, longest - end)}… (${text.length - longest} more characters) …${text.slice(-end)}`;
  return (text.length <= longest ? text : cut).replaceAll(/\p{Surrogate}/gu, "\ufffd");
};
