import { type DeviceProblem, probeCuda, probeTensorrt, takeLibraries } from "./cuda/probe-cuda.ts";
import { once } from "../once.ts";
import type { InstanceDevice, PlannedInstance } from "./instance-plan.ts";
import { runtimeError } from "../../errors.ts";

/** The devices on which models may run: "auto" uses CUDA if it works. */
export type Device = "cpu" | "cuda" | "auto";

/** Determines where instances run. CUDA is tried once, when it is first needed. */
export interface DevicePolicy {
  /** @throws PipelineError `device/unavailable` if CUDA was required and does not work. */
  choose(instance: PlannedInstance): Promise<InstanceDevice>;
  /** @throws PipelineError `device/unavailable` if CUDA was required and does not work. */
  assertAvailable(): Promise<void>;
}

export interface DevicePolicyOptions {
  readonly device: Device;
  /** Folder of the CUDA libraries; if absent, they must be next to onnxruntime-node. */
  readonly libraries: string | undefined;
  /**
   * Reports, once each, that CUDA is not available for "auto", and that TensorRT is not available for models that
   * request it.
   */
  readonly notice: (text: string) => void;
}

/**
 * Loads ONNX Runtime from `libraries`, even for the CPU: the first load decides for the whole process. Therefore this
 * must run before anything imports onnxruntime-node.
 */
export const createDevicePolicy = ({ device, libraries, notice }: DevicePolicyOptions): DevicePolicy => {
  const untaken = libraries === undefined ? undefined : takeLibraries(libraries);
  const cudaProblem = once(async (): Promise<DeviceProblem | undefined> => {
    const problem = untaken ?? (await probeCuda(libraries));
    if (problem !== undefined && device === "auto")
      notice(`models run on the CPU: CUDA cannot be used (${problem.reason})`);
    return problem;
  });
  const tensorrtWorks = once(async (): Promise<boolean> => {
    const problem = await probeTensorrt();
    if (problem !== undefined)
      notice(`models with TensorRT run on CUDA: TensorRT cannot be used (${problem})`);
    return problem === undefined;
  });
  const assertAvailable = async (): Promise<void> => {
    if (device !== "cuda") return;
    const problem = await cudaProblem();
    if (problem === undefined) return;
    throw runtimeError("device/cuda-unusable", { why: problem.reason }, { help: problem.help });
  };
  return {
    assertAvailable,
    choose: async ({ wants, deviceId, tensorrt }) => {
      if (device === "cpu" || wants === "cpu") return { kind: "cpu" };
      await assertAvailable();
      if ((await cudaProblem()) !== undefined) return { kind: "cpu" };
      return { kind: "cuda", deviceId, tensorrt: tensorrt && (await tensorrtWorks()) };
    },
  };
};
