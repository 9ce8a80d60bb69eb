import { expect, test } from "vitest";
import { refusalCases } from "./cases/refusals.ts";
import { functionsOf } from "./topic.ts";
import { translateModules } from "./translate-functions.ts";
import { anyNumbers, arrayOf, dictionaries, texts } from "./typed-inputs.ts";

const inputs = { s: texts, x: anyNumbers, xs: arrayOf(anyNumbers), o: dictionaries(anyNumbers, ["a"]) };
const [functions = []] = translateModules([
  {
    functions: functionsOf({ about: "refusals", inputs, cases: refusalCases.map(([code]) => code) }, "f"),
    preamble: "let counter = 0;",
  },
]);

test.each(refusalCases.map(([code, refusal, says], at) => ({ code, refusal, says, at })))(
  "$code is $refusal",
  ({ refusal, says, at }) => {
    const { refusals, translated } = functions[at]?.translation ?? { refusals: [], translated: undefined };
    expect(translated).toBeUndefined();
    const told = refusals.map(({ code, what, instead }) => `${code}: ${what} → ${instead}`);
    expect(
      told.filter((text) => text.startsWith(`${refusal}:`) && text.includes(says)),
      told.join("\n"),
    ).not.toEqual([]);
  },
);
