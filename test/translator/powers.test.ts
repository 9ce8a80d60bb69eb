import { expect, test } from "vitest";
import { hostileNumber, randomOf } from "./hostile.ts";

test("V8 computes every power of integers exactly if a number can hold the result", () => {
  const different: string[] = [];
  let compared = 0;
  for (let odd = 1; odd < 2 ** 18; odd += 2) {
    for (const twos of [0, 1, 7, 40, 300]) {
      for (let exponent = 3; exponent < 1024; exponent++) {
        const significant = BigInt(odd) ** BigInt(exponent);
        const size = twos * exponent;
        if (significant >= 2n ** 53n || size + significant.toString(2).length > 1024) break;
        const base = odd * 2 ** twos;
        const power = Number(significant << BigInt(size));
        compared += 2;
        if (base ** exponent !== power) different.push(`${base} ** ${exponent}`);
        const signed = exponent % 2 === 1 ? -power : power;
        if ((-base) ** exponent !== signed) different.push(`(${-base}) ** ${exponent}`);
      }
    }
  }
  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(400_000);
});

test("V8 computes a square as a multiplication", () => {
  const random = randomOf(1);
  const values = Array.from({ length: 20_000 }, () => hostileNumber(random));
  for (let count = 0; count < 100_000; count++) values.push((random() - 0.5) * 2 ** (random() * 1100 - 560));
  expect(values.filter((value) => !Object.is(value ** 2, value * value))).toEqual([]);
});
