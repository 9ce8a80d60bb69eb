import { expect, test } from "vitest";
import written from "../recipe.json" with { type: "json" };
import { readRecipe, recipe } from "../recipe.ts";

test("the example's recipe is valid", () => {
  expect(recipe).toEqual(written);
});

test.each([
  ["an unknown key", { max_tokens: 64 }, /^recipe\.json is no recipe\n.*Unrecognized key: "max_tokens"/],
  ["an unknown key inside", { unsure: { label: "?", below: 0.5, above: 1 } }, /"above"[\s\S]*at unsure/],
  ["a key that is missing", { taskPrefix: undefined }, /expected string[\s\S]*at taskPrefix/],
  ["a threshold that no score reaches", { unsure: { label: "?", below: 60 } }, /at unsure\.below/],
  [
    "a label too few",
    { labels: ["negative"] },
    /1 label \(negative\), but the classifier, assets\/model\.onnx, has 2 outputs: name each of them/,
  ],
  [
    "a label too many",
    { labels: ["negative", "neutral", "positive"] },
    /3 labels \(negative, neutral, positive\), but the classifier, assets\/model\.onnx, has 2 outputs/,
  ],
  ["a label twice", { labels: ["positive", "positive"] }, /a label occurs twice/],
  ["lengths that do not meet", { maxTokens: 100 }, /maxTokens, 100, is no multiple of padToMultipleOf, 8/],
  ["more tokens than the classifier takes", { maxTokens: 8128 }, /<=512[\s\S]*at maxTokens/],
])("%s is an error that describes the fault", (_, changed, says) => {
  expect(() => readRecipe({ ...written, ...changed })).toThrow(says);
});
