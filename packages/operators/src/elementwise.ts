import { type DType, type Dims, showDim, showDims, showType, type TensorType } from "@tritype/core";
import { noArguments, otherOperand } from "./arguments.ts";
import { movedAxes } from "./axis.ts";
import { broadcastDims } from "./dims.ts";
import { needSame } from "./dtype-rules.ts";
import { type Failed, failed, operandAt, single } from "./inferred.ts";
import type { MixedAxis, OnnxBuilder, Operator, Problem } from "./operator.ts";
import { elementwisePadding, type Evaluate } from "./padding.ts";

interface BinaryDefinition {
  readonly name: string;
  /** Checks the dtypes of the operands. */
  readonly accepts: (type: TensorType, operand: number) => Failed | undefined;
  /** The dtype of the result, if it differs from the operands'. */
  readonly result?: DType;
  /** Whether the second operand's dtype is also checked before it is compared with the first operand's. */
  readonly asksBoth?: boolean;
  readonly emit: (builder: OnnxBuilder, a: string, b: string, dtype: DType) => string;
  /** The value of a padding element. Default: unknown. */
  readonly evaluate?: Evaluate;
}

/** An operator on two operands with the same dtype that broadcast. */
export const binary = ({
  name,
  accepts,
  result,
  asksBoth = false,
  emit,
  evaluate,
}: BinaryDefinition): Operator => ({
  name,
  readArguments: otherOperand,
  infer(operands) {
    const [a, b] = [operandAt(operands, 0), operandAt(operands, 1)];
    const problem = accepts(a, 0) ?? (asksBoth ? accepts(b, 1) : undefined) ?? needSame(a, b, 1);
    if (problem !== undefined) return problem;
    const dims = broadcastDims(a.dims, b.dims);
    return dims === undefined
      ? noBroadcast(a, b, { operand: 1, against: 0 })
      : single(result ?? a.dtype, dims);
  },
  mixes: mixesOfBroadcast,
  ...paddingOf(evaluate),
  lower: (builder, operands) => {
    const [a, b] = [operandAt(operands, 0), operandAt(operands, 1)];
    return { out: emit(builder, a.name, b.name, a.type.dtype) };
  },
});

interface UnaryDefinition {
  readonly name: string;
  readonly accepts: (type: TensorType, operand: number) => Failed | undefined;
  readonly emit: (builder: OnnxBuilder, x: string, dtype: DType) => string;
  /** The value of a padding element. Default: unknown. */
  readonly evaluate?: (x: number) => number;
}

/** An operator that keeps dtype and dims. */
export const unary = ({ name, accepts, emit, evaluate }: UnaryDefinition): Operator => ({
  name,
  readArguments: noArguments,
  infer(operands) {
    const x = operandAt(operands, 0);
    return accepts(x, 0) ?? single(x.dtype, x.dims);
  },
  ...paddingOf(evaluate === undefined ? undefined : (x) => (x === undefined ? undefined : evaluate(x))),
  lower: (builder, operands) => {
    const x = operandAt(operands, 0);
    return { out: emit(builder, x.name, x.type.dtype) };
  },
});

const paddingOf = (evaluate: Evaluate | undefined): Pick<Operator, "padding"> =>
  evaluate === undefined ? {} : { padding: (operands) => elementwisePadding(operands, evaluate) };

/** The problem if two tensors, or a tensor and the dims it should get, are incompatible. */
export const noBroadcast = (
  a: TensorType,
  b: TensorType | { readonly dims: Dims },
  operands: Pick<Problem, "operand" | "against"> = {},
): Failed => {
  const shown = "dtype" in b ? showType(b) : showDims(b.dims);
  return failed("shape/no-broadcast", `${showType(a)} and ${shown} do not broadcast`, {
    ...operands,
    ...(broadcastDims(shownDims(a.dims), shownDims(b.dims)) === undefined ? {} : { help: differentCalls }),
  });
};

/** If an operand has a lower rank than the result, its axes are shifted to the right. */
export const mixesOfBroadcast = (operands: readonly TensorType[]): readonly MixedAxis[] => {
  const rank = Math.max(...operands.map((x) => x.dims.length));
  return operands.flatMap((x, i) => movedAxes(i, 0, x.dims.length, rank - x.dims.length));
};

/** Two dims that look the same. */
export const differentCalls =
  "Here, dims with the same name come from different calls, so their sizes may differ: use tensors from the same call.";
const shownDims = (dims: Dims): Dims => dims.map((dim) => (typeof dim === "string" ? showDim(dim) : dim));
