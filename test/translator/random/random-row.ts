import { hostileBigint, hostileNumber, hostileText, listOf, type Random, upTo } from "../hostile.ts";

/** A row for a random program. */
export const randomRow = (random: Random): Readonly<Record<string, unknown>> => ({
  n: hostileNumber(random),
  m: upTo(random, 9),
  s: hostileText(random),
  t: hostileText(random),
  yes: random() < 0.5,
  big: hostileBigint(random),
  ns: listOf(random, hostileNumber, 5),
  ss: listOf(random, hostileText, 4),
  items: listOf(random, (from) => ({ label: hostileText(from), n: hostileNumber(from) }), 3),
});
