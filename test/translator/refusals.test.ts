import { expect, test } from "vitest";
import { refusalCases, refusedModule } from "./cases/refusals.ts";
import { translateModules } from "./translate-functions.ts";

const [functions = []] = translateModules([refusedModule]);

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
