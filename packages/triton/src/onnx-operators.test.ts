import { expect, it } from "vitest";
import { operatorProblem } from "./onnx-operators.ts";
import { releaseOf, type TritonRelease } from "./releases.ts";

const release = (container: string): TritonRelease => {
  const found = releaseOf(container);
  if (found === undefined) throw new Error(container);
  return found;
};
const problem = (domain: string, name: string, version: number | undefined, container = "24.10") =>
  operatorProblem({ domain, name, version }, release(container));

it.each([
  ["", "Relu", 7],
  ["", "Gelu", 20],
  ["", "Upsample", 9],
  ["ai.onnx.ml", "ZipMap", 1],
  ["com.microsoft", "Gelu", 1],
  ["com.microsoft", "Attention", 1],
  ["com.microsoft", "SkipLayerNormalization", 1],
])("24.10 has %s %s in version %i", (domain, name, version) => {
  expect(problem(domain, name, version)).toBeUndefined();
});

it("reports why an operator is not there", () => {
  expect(problem("my.ops", "Foo", 1)).toEqual({ kind: "domain" });
  expect(problem("", "Reluu", 17)).toEqual({ kind: "name", near: "Relu", other: undefined });
  expect(problem("", "TotallyUnheardOf", 17)).toEqual({ kind: "name", near: undefined, other: undefined });
  expect(problem("", "ZipMap", 17)).toMatchObject({ kind: "name", other: "ai.onnx.ml" });
  expect(problem("", "Gelu", undefined)).toBeUndefined();
  expect(problem("", "Gelu", 17)).toEqual({ kind: "too-old", since: 20 });
  expect(problem("", "Upsample", 11)).toEqual({ kind: "removed", until: 9 });
});

it("knows that an operator came with a later release", () => {
  expect(problem("com.microsoft", "MatMulNBits", 1, "24.01")?.kind ?? "known").toBe("known");
  expect(problem("com.microsoft", "LinearAttention", 1, "24.10")).toMatchObject({
    kind: "release",
    last: "26.08",
  });
});
