import { type Diagnostic, didYouMean, type StepDefinition } from "@tritype/core";
import {
  acceleratorParameterHelp,
  acceleratorValueProblem,
  type ModelConfig,
  type OnnxAccelerator,
  onnxAccelerators,
  type TritonRelease,
} from "@tritype/triton";
import { diagnose } from "../diagnostics.ts";
import { labelsAt, type PlaceOf } from "../emit/field-places.ts";

/** Checks the author's accelerators against those that the target's ONNX Runtime backend reads. A `raw` fragment is not checked. */
export const checkAccelerators = (
  step: StepDefinition,
  { optimization }: Partial<ModelConfig>,
  { container }: TritonRelease,
  placeOf: PlaceOf,
): readonly Diagnostic[] => {
  const known = onnxAccelerators(container);
  const { gpu_execution_accelerator: gpu = [], cpu_execution_accelerator: cpu = [] } =
    optimization?.execution_accelerators ?? {};
  const check = (
    side: OnnxAccelerator["side"],
    { name = "", parameters = {} }: Accelerator,
    index: number,
  ): readonly Diagnostic[] => {
    const field = ["optimization", "execution_accelerators", `${side}_execution_accelerator`, index];
    const wrong = (problem: string, help?: string, ...path: readonly string[]): Diagnostic =>
      diagnose("model/bad-field", {
        with: { step: step.name, problem },
        labels: labelsAt(step, placeOf([...field, ...path])),
        ...(help === undefined ? {} : { help }),
      });
    const accelerator = known.get(name);
    if (accelerator?.side !== side) {
      const names = [...known].flatMap(([other, one]) => (one.side === side ? other : []));
      const near = didYouMean(name, names);
      return [
        wrong(
          `ONNX Runtime in Triton ${container} has no ${side.toUpperCase()} accelerator \`${name}\``,
          near === undefined ? `it has ${names.join(", ")}` : `did you mean \`${near}\`?`,
          "name",
        ),
      ];
    }
    const ofParameter = ([key, value]: readonly [string, string]): readonly Diagnostic[] => {
      if (Object.hasOwn(accelerator.overwritten, key))
        return [
          wrong(
            `the accelerator \`${name}\` takes no \`${key}\` in Triton ${container}`,
            "Triton overwrites it: write it under `parameters` of the step",
            "parameters",
            key,
          ),
        ];
      const kind = accelerator.parameters[key];
      if (kind === undefined || !Object.hasOwn(accelerator.parameters, key))
        return [
          wrong(
            `the accelerator \`${name}\` has no parameter \`${key}\` in Triton ${container}`,
            name === "openvino"
              ? "Triton passes no parameters to OpenVINO"
              : acceleratorParameterHelp(accelerator, key),
            "parameters",
            key,
          ),
        ];
      const wanted = acceleratorValueProblem(value, kind);
      return wanted === undefined
        ? []
        : [
            wrong(
              `\`${key}\` of the accelerator \`${name}\` is \`${value}\`; it must be ${wanted}`,
              undefined,
              "parameters",
              key,
            ),
          ];
    };
    return [...Object.entries(parameters).flatMap(ofParameter), ...wholeProfile(parameters, wrong)];
  };
  return [
    ...gpu.flatMap((one, index) => check("gpu", one, index)),
    ...cpu.flatMap((one, index) => check("cpu", one, index)),
  ];
};

interface Accelerator {
  readonly name?: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

const profile = ["trt_profile_min_shapes", "trt_profile_opt_shapes", "trt_profile_max_shapes"];

/** TensorRT needs all three or none. */
const wholeProfile = (
  parameters: Readonly<Record<string, string>>,
  wrong: (problem: string, help: string) => Diagnostic,
): readonly Diagnostic[] => {
  const missing = profile.filter((key) => !Object.hasOwn(parameters, key));
  return missing.length === 0 || missing.length === profile.length
    ? []
    : [
        wrong(
          `the sizes of the accelerator \`tensorrt\` lack ${missing.map((key) => `\`${key}\``).join(" and ")}`,
          "write all three, or none: then they come from the samples of the ensemble's `warmup`",
        ),
      ];
};
