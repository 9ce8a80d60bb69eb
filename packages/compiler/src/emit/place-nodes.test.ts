import { invariant } from "@tritype/core";
import { bool, constant, defineEnsemble, fp32, type Tensor, when } from "@tritype/dsl";
import { type GraphProto, type NodeProto, readOnnxModel } from "@tritype/onnx";
import { describe, expect, test } from "vitest";
import { compileInMemory } from "../compile.fixture.ts";

type X = Tensor<"FP32", ["n", 4]>;
type Flag = Tensor<"BOOL", [1]>;

/** The nodes of the ensemble's model: `MatMul`, `If(… | …)`. */
const nodesOf = (run: (x: X, a: Flag, b: Flag) => Readonly<Record<string, Tensor>>): string => {
  const used = Object.entries({ x: fp32("n", 4), a: bool(1), b: bool(1) }).slice(0, run.length);
  const ensemble = defineEnsemble({
    name: "e",
    inputs: Object.fromEntries(used),
    run: (inputs) => run(...(Object.values(inputs) as unknown as [X, Flag, Flag])),
  });
  const { build, diagnostics } = compileInMemory([ensemble]);
  expect(diagnostics).toEqual([]);
  const models = [...(build?.tree ?? [])].filter(([path]) => path.endsWith("model.onnx"));
  return models
    .map(([, file]) => {
      invariant(file.kind === "bytes", "a model is bytes");
      const model = readOnnxModel(file.bytes);
      invariant("graph" in model, "it can be read");
      return shown(model.graph.node ?? []);
    })
    .join("\n");
};
const shown = (nodes: readonly NodeProto[]): string => nodes.map(shownNode).join(" ");
const shownNode = ({ opType = "", attribute = [] }: NodeProto): string => {
  const graphs = attribute.flatMap(({ g }): readonly GraphProto[] => (g === undefined ? [] : [g]));
  return graphs.length === 0
    ? opType
    : `${opType}(${graphs.map(({ node = [] }) => shown(node)).join(" | ")})`;
};

describe("with a condition for the whole request, only one branch is computed", () => {
  test("each branch has its own math", () => {
    expect(
      nodesOf((x, a) => ({
        y: when(
          a,
          () => x.softmax(-1),
          () => x.relu().neg(),
        ),
      })),
    ).toBe("If(Softmax | Relu Neg)");
  });
  test("a branch may be a handle instead of a function", () => {
    expect(nodesOf((x, a) => ({ y: when(a, x.softmax(-1), x) }))).toBe("If(Softmax | Identity)");
  });
  test("a value that both branches or other operators need is computed before the choice", () => {
    expect(
      nodesOf((x, a) => {
        const shared = x.exp();
        const kept = x.tanh();
        return {
          y: when(
            a,
            () => shared.neg(),
            () => shared.add(kept),
          ),
          kept,
        };
      }),
    ).toBe("Exp Tanh If(Neg | Add) Identity");
  });
  test("the condition's own math is computed before the choice, even if a branch uses it", () => {
    expect(
      nodesOf((x) => {
        const total = x.sum(0).sum(0);
        return { y: when(total.gt(0), () => x.mul(total), x) };
      }),
    ).toBe("ReduceSum ReduceSum Greater If(Mul | Identity)");
  });
  test("nested choices", () => {
    expect(
      nodesOf((x, a, b) => ({
        y: when(
          a,
          () =>
            when(
              b,
              () => x.exp(),
              () => x.tanh(),
            ).neg(),
          () => when(b, x, () => x.relu()),
        ),
      })),
    ).toBe("If(If(Exp | Tanh) Neg | If(Identity | Relu))");
  });
  test("several tensors from one branch share its math", () => {
    expect(
      nodesOf((x, a) =>
        when(
          a,
          () => {
            const e = x.exp();
            return { y: e.neg(), z: e };
          },
          () => ({ y: x, z: x }),
        ),
      ),
    ).toBe("If(Exp Neg | Identity Identity)");
  });
  test("a branch may be broadcast to literal sizes", () => {
    expect(nodesOf((x, a) => ({ y: when(a, () => x.max(0), constant(fp32, 0)).unsqueeze(0) }))).toBe(
      "If(ReduceMax | Expand) Unsqueeze",
    );
  });
});

describe("Where chooses between the values of both branches", () => {
  test("if there is nothing to compute", () => {
    expect(
      nodesOf((x, a) => ({
        y: when(
          a,
          () => x,
          () => constant(fp32, 1, 1, 4),
        ),
      })),
    ).toBe("Where");
  });
  test("if a size is known only in the other branch", () => {
    expect(nodesOf((x, a) => ({ y: when(a, () => x.exp(), constant(fp32, 0)) }))).toBe("Exp Where");
  });
  test("if each row has its own decision", () => {
    expect(nodesOf((x) => ({ y: when(x.max(-1).gt(0), () => x.exp(), x) }))).toBe(
      "Exp ReduceMax Greater Unsqueeze Where",
    );
  });
});
