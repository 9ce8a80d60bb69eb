import type { DType } from "@tritype/core";
import { missingKernels } from "./generated/onnx-kernels.ts";
import { isIn } from "./onnx-operators.ts";
import { releases, type TritonRelease } from "./releases.ts";

/** An operator of ONNX's own domain, with the element type of one of its inputs. */
interface TypedOperator {
  readonly name: string;
  /** The opset that the model imports. */
  readonly version: number;
  /** The position of the input, from 0. */
  readonly input: number;
  readonly dtype: DType;
}

/** Whether the ONNX Runtime of a release has no kernel on CPUs, so that it does not load the model. FP16 and BF16 are cast. */
export const lacksKernel = (
  { name, version, input, dtype }: TypedOperator,
  { onnxruntime }: Pick<TritonRelease, "onnxruntime">,
): boolean =>
  missingKernels.some(
    (group) =>
      group.since <= version &&
      version <= (group.until ?? version) &&
      isIn(group, onnxruntime) &&
      group.names.split(" ").includes(name) &&
      (group.inputs ?? "0").split(" ").some((at) => isAt(at, input)) &&
      group.dtypes.split(" ").includes(dtype),
  );

const isAt = (position: string, input: number): boolean => {
  const first = Number.parseInt(position, 10);
  return position.endsWith("+") ? input >= first : input === first;
};

/** The first release after another one that has a kernel; undefined if none has. */
export const firstWithKernel = (operator: TypedOperator, after: TritonRelease): string | undefined =>
  releases.find((one) => one.container > after.container && !lacksKernel(operator, one))?.container;
