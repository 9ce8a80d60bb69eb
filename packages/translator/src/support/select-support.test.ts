import { expect, test } from "vitest";
import { selectSupport } from "./select-support.ts";

test("only used pieces, constants before functions", () => {
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

test("without uses there is no text", () => {
  expect(selectSupport([])).toEqual({ imports: [], text: "" });
});

test("an unknown name is a mistake of the caller", () => {
  expect(() => selectSupport(["evaluate"])).toThrow("there is no support function evaluate");
});
