import { expect, test } from "vitest";
import { selectSupport } from "./select-support.ts";

test("only the pieces that are used are included, constants before functions", () => {
  expect(selectSupport(["sqrt"])).toEqual({
    imports: ["math"],
    text: `NAN = math.nan


def sqrt(x):
    """Math.sqrt: NaN for negative numbers."""
    return math.sqrt(x) if x >= 0 else NAN
`,
  });
  const { text, imports } = selectSupport(["stringify"]);
  const defined = [...text.matchAll(/^(?:def |class )?(\w+)(?: =|\()/gm)].map(([, name]) => name);
  expect(imports).toEqual(["json", "math", "re"]);
  expect(defined).toEqual([
    "INF",
    "LONE_SURROGATE",
    "ARRAY_INDEX",
    "undefined",
    "string",
    "number",
    "keys",
    "quote",
    "stringify",
  ]);
});

test("if nothing is used, the text is empty", () => {
  expect(selectSupport([])).toEqual({ imports: [], text: "" });
});

test("an unknown name is an error in the caller", () => {
  expect(() => selectSupport(["evaluate"])).toThrow("there is no support function evaluate");
});
