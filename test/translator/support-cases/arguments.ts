import { hostileNumber, hostileText, listOf, pick, upTo, type Random } from "../hostile.ts";

export const text = hostileText;

export const number = hostileNumber;

export const small = (random: Random): number =>
  random() < 0.8
    ? pick(random, [0, 1, 2, 3, 4, 5, 7, -1, -2, -3, -9, 0.5, -0.5, 1.5, 2.9, Number.NaN, -0])
    : number(random);

export const optional =
  <T>(make: (random: Random) => T) =>
  (random: Random): T | undefined =>
    random() < 0.2 ? undefined : make(random);

export const part = (random: Random, whole: string): string => {
  const start = upTo(random, whole.length);
  return random() < 0.6 ? whole.slice(start, start + upTo(random, 3)) : text(random);
};

export const scalar = (random: Random): unknown =>
  pick(random, [text, number, number, () => null, () => true, () => false])(random);

export const json = (random: Random, depth = 3): unknown => {
  if (depth === 0 || random() < 0.4) return scalar(random);
  if (random() < 0.5) return listOf(random, () => json(random, depth - 1), 4);
  return record(random, () => json(random, depth - 1));
};

export const record = <T>(random: Random, make: (random: Random) => T): Record<string, T> =>
  Object.fromEntries(
    listOf(random, () => [
      random() < 0.4
        ? pick(random, ["10", "2", "0", "01", "-1", "4294967294", "4294967295", "1.5", "b", "a"])
        : text(random).replace("__proto__", ""),
      make(random),
    ]),
  ) as Record<string, T>;

export const textAnd =
  (...more: readonly ((random: Random) => unknown)[]) =>
  (random: Random): readonly unknown[] => [text(random), ...more.map((make) => make(random))];

export const one =
  (make: (random: Random) => unknown) =>
  (random: Random): readonly unknown[] => [make(random)];

export const two = (random: Random): readonly unknown[] => [number(random), number(random)];

export function notPortable(message: string): Error {
  return Object.assign(new Error(message), { name: "NotPortable" });
}

export function finite(random: Random): number {
  const value = hostileNumber(random);
  return Number.isFinite(value) ? value : 0.1;
}
