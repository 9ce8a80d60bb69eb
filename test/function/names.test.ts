import { supportNames } from "@tritype/translator";
import { expect, test } from "vitest";
import { reservedNames } from "../../packages/compiler/src/function/function-python.ts";
import { arrays, clean, image, rank, scalars } from "./hand-made.ts";
import { buildOf } from "./serve-both.ts";

const { tree } = buildOf([arrays, clean, image, rank, scalars]);
const models = [...tree].flatMap(([path, file]) =>
  path.endsWith("/model.py") && file.kind === "text" ? [[path, file.text] as const] : [],
);

test.each(models)("the code around the function does not declare a name twice: %s", (_path, text) => {
  const [, around = ""] = text.split("# Converts Triton's tensors to the function's values and back.");
  const defined = [...around.matchAll(/^(?:def |class )?([A-Za-z_]\w*)(?:\(| =|:)/gm)].map(
    ([, name = ""]) => name,
  );
  expect(defined).toContain("respond");
  expect(defined.filter((name) => supportNames.has(name))).toEqual([]);
});

test("names are reserved if the text around the function defines or imports them, or uses them as variables at the call", () => {
  const tensor = { dtype: "FP32", dims: ["batch", 2] } as const;
  const names = reservedNames({
    step: "s",
    per: "row",
    timeLimit: 1e7,
    inputs: { x: tensor },
    outputs: { y: tensor },
  });
  expect(names).toEqual(
    expect.arrayContaining(
      "np pb_utils Path json signal time hold_errors STEP INPUTS LINES TritonPythonModel Overdue respond told rows_of as_is exact results given row".split(
        " ",
      ),
    ),
  );
});
