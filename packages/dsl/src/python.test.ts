import { expect, test } from "vitest";
import { fp32 } from "./dtype-name.ts";
import { defineEnsemble } from "./ensemble.ts";
import { onnx } from "./onnx.ts";
import { python } from "./python.ts";
import { isCalledByClients, recordOf } from "./step.ts";

const x = fp32("batch", 4);
const double = onnx({ name: "double", file: "double.onnx", inputs: { x }, outputs: { y: x } });
const twice = defineEnsemble({
  name: "twice",
  maxBatchSize: 2,
  inputs: { x },
  run: ({ x }) => double({ x }),
});
const about = { name: "route", file: "route.py", inputs: { x }, outputs: { y: x } };

test("a Python step records the steps and ensembles whose models its code calls; clients do not call it", () => {
  const route = recordOf(python({ ...about, uses: [double.version(2), twice] }));
  expect(route?.needs).toEqual([recordOf(double), recordOf(twice)]);
  expect(route?.options).toEqual({ file: "route.py" });
  expect(route !== undefined && isCalledByClients(route)).toBe(false);
  expect(recordOf(python(about))).not.toHaveProperty("needs");
});

test.each<[string, unknown, string]>([
  ["a name", ["double"], "`uses[0]` of `route` is not a step"],
  ["an import that is undefined", [double, undefined], "`uses[1]` of `route` is not a step"],
  ["a number", { scorer: 1 }, "`uses[scorer]` of `route` is not a step"],
])("%s in `uses` is an error", (_, uses, message) => {
  expect(() => python({ ...about, uses } as never)).toThrow(message);
});
