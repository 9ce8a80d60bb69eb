import { expect, test } from "vitest";
import { lastCased } from "./case-beyond-python.ts";

test("no character after `lastCased` has case", () => {
  const cased: string[] = [];
  for (let code = lastCased + 1; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (/\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u.test(character)) cased.push(character);
  }
  expect(cased).toEqual([]);
});
