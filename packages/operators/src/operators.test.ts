import { valuesOf } from "@tritype/core";
import { describe, expect, it } from "vitest";
import { type Attributes, type OnnxBuilder, operators } from "./index.ts";
import { type OperatorCases, operatorCases, type Row } from "./operator-cases.fixture.ts";
import { infer, parseOperands, parseTypes } from "./written-operands.fixture.ts";

/** The rows of all operators, each preceded by the operator's name. */
const rows = <Expected>(
  rowsOf: (cases: OperatorCases) => readonly Row<Expected>[] | undefined,
): readonly [operator: string, ...Row<Expected>][] =>
  [...operatorCases].flatMap(([operator, cases]) =>
    (rowsOf(cases) ?? []).map((row): [string, ...Row<Expected>] => [operator, ...row]),
  );

it("every operator has cases", () => {
  expect([...operatorCases.keys()].toSorted()).toEqual([...operators.keys()].toSorted());
});

describe("the types of the results", () => {
  it.each(rows(({ types }) => types))("%s %s %j → %s", (operator, operands, attributes, expected) => {
    expect(infer(operator, operands, attributes)).toBe(expected);
  });
});

describe("problems", () => {
  it.each(rows(({ problems }) => problems))("%s %s %j → %s", (operator, operands, attributes, expected) => {
    expect(infer(operator, operands, attributes)).toBe(expected);
  });

  it("names the operand at fault and suggests a fix", () => {
    const operands = parseTypes("FP32[batch, seq#1] ; FP32[batch, seq#2]");
    expect(operators.get("add")?.infer(operands, {}).problem).toEqual({
      code: "shape/no-broadcast",
      message: "FP32[batch, seq] and FP32[batch, seq] do not broadcast",
      operand: 1,
      against: 0,
      help: "Here, dims with the same name come from different calls, so their sizes may differ: use tensors from the same call.",
    });
  });
});

describe("doubts", () => {
  it.each(rows(({ doubts }) => doubts))("%s %s %j: %s", (operator, operands, attributes, expected) => {
    const doubt = operators.get(operator)?.doubt?.(parseOperands(operands), attributes);
    expect(doubt === undefined ? "" : `${doubt.code}: ${doubt.message}`).toBe(expected);
  });
});

describe("the effect on the batch axis", () => {
  it.each(rows(({ batch }) => batch))("%s of %s %j: %s", (operator, operands, attributes, expected) => {
    const types = parseTypes(operands);
    const mixed = operators.get(operator)?.mixes?.(types, attributes) ?? [];
    const fates = mixed
      .filter(({ operand, axis }) => types[operand]?.dims[axis] === "batch")
      .map(({ operand, verb }) => `${operand} ${verb}`);
    expect(fates.join(", ")).toBe(expected);
  });
});

describe("the output's values where the operands are padding", () => {
  it.each(rows(({ padding }) => padding))("%s of %s %j", (operator, operands, attributes, expected) => {
    expect(operators.get(operator)?.padding?.(parseOperands(operands), attributes).axes).toEqual(expected);
  });
});

/** Whether the operation along "seq" gives the same result with padding. */
const ignoresPadding = (
  operator: string,
  text: string,
  attributes: Attributes,
  side: "left" | "right",
): boolean => {
  const definition = operators.get(operator);
  const operands = parseOperands(text);
  const types = operands.map(({ type }) => type);
  const mixed = (definition?.mixes?.(types, attributes) ?? []).filter(
    ({ operand, axis, verb }) => types[operand]?.dims[axis] === "seq" && verb !== "moves",
  );
  expect(mixed.length).toBeGreaterThan(0);
  return mixed.every((one) => definition?.ignoresPadding?.(one, operands, attributes, side) === true);
};

describe("whether padding changes the result", () => {
  it.each(rows(({ ignoresPadding }) => ignoresPadding))(
    "%s of %s %j ignores padding: %s",
    (operator, operands, attributes, expected) => {
      for (const side of ["left", "right"] as const)
        expect(ignoresPadding(operator, operands, attributes, side)).toBe(expected);
    },
  );

  it("the first element is text if padding is on the right, the last one if it is on the left", () => {
    const pick = (index: number, side: "left" | "right"): boolean =>
      ignoresPadding("gather", "FP32[batch, seq, 8]", { axis: 1, index }, side);
    expect([
      pick(0, "right"),
      pick(0, "left"),
      pick(-1, "left"),
      pick(-1, "right"),
      pick(1, "right"),
    ]).toEqual([true, false, true, false, false]);
  });
});

/** The nodes as text: `Op(input, …) attribute=…`. A value is named after its node; a constant is its elements. */
const lowered = (operator: string, operands: string, attributes: Attributes): readonly string[] => {
  const lines: string[] = [];
  const builder: OnnxBuilder = {
    node(opType, inputs, given = {}, outputs = 1) {
      const shown = Object.entries(given).map(([name, value]) => ` ${name}=${Object.values(value).join()}`);
      lines.push(`${opType}(${inputs.join(", ")})${shown.join("")}`);
      const name = `%${lines.length}`;
      return [name, ...Array.from({ length: outputs - 1 }, (_, i) => `${name}.${i + 1}`)];
    },
    constant: (tensor) => `${tensor.dtype}{${valuesOf(tensor).map(String).join(" ")}}`,
  };
  const definition = operators.get(operator);
  const types = parseTypes(operands);
  const outputs = definition?.infer(types, attributes).outputs ?? {};
  const values = types.map((type, i) => ({ name: `x${i}`, type }));
  const results = definition?.lower(builder, values, attributes, outputs) ?? {};
  expect(Object.keys(results)).toEqual(Object.keys(outputs));
  return [...lines, `→ ${Object.values(results).join(" ")}`];
};

describe("the ONNX nodes", () => {
  it.each(rows(({ nodes }) => nodes))("%s %s %j", (operator, operands, attributes, expected) => {
    expect(lowered(operator, operands, attributes)).toEqual(expected);
  });
});
