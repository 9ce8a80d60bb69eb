import { refusalCodes } from "@tritype/translator";
import { expect, test } from "vitest";
import { refusalCodes as catalog } from "../../packages/compiler/src/function/refusal-diagnostics.ts";

test("each refusal of the translator has a diagnostic, and vice versa", () => {
  expect(Object.keys(refusalCodes).toSorted()).toEqual([...catalog].toSorted());
});
