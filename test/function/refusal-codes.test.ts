import { refusalCodes } from "@tritype/translator";
import { expect, test } from "vitest";
import {
  refusalCodes as catalog,
  refusalDiagnostics,
} from "../../packages/compiler/src/function/refusal-diagnostics.ts";

test("each refusal of the translator has a diagnostic, and vice versa", () => {
  expect(Object.keys(refusalCodes).toSorted()).toEqual([...catalog].toSorted());
});

test("the help of each of the 23 refusals suggests a rewrite first, and then Node", () => {
  const helps = Object.values(refusalDiagnostics).map(({ help }) => help);
  expect(helps).toEqual(Array(23).fill('use {instead}; or run the function unchanged with `engine: "node"`'));
});
