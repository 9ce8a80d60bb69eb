import { PipelineError } from "@tritype/core";
import { probeCuda } from "./cuda-probe.ts";
import type { InstanceDevice, PlannedInstance } from "./instance-plan.ts";

/** Where models may run: "auto" takes CUDA where it works. */
export type Device = "cpu" | "cuda" | "auto";

/** Decides where instances run. CUDA is tried once, when it is first wanted. */
export interface DevicePolicy {
  /** @throws PipelineError `device/unavailable` when CUDA was demanded and does not work. */
  choose(instance: PlannedInstance): Promise<InstanceDevice>;
  /** @throws PipelineError `device/unavailable` when CUDA was demanded and does not work. */
  assertAvailable(): Promise<void>;
}

/** @param notice Says, once, that "auto" has no CUDA to take. */
export const createDevicePolicy = (device: Device, notice: (text: string) => void): DevicePolicy => {
  let probe: Promise<string | undefined> | undefined;
  const cudaProblem = (): Promise<string | undefined> => {
    probe ??= probeCuda().then((problem) => {
      if (problem !== undefined && device === "auto")
        notice(`models run on the CPU: CUDA cannot be used (${firstLine(problem)})`);
      return problem;
    });
    return probe;
  };
  const assertAvailable = async (): Promise<void> => {
    if (device !== "cuda") return;
    const problem = await cudaProblem();
    if (problem === undefined) return;
    throw new PipelineError("device/unavailable", `CUDA cannot be used: ${firstLine(problem)}`, {
      help:
        "Run with --device cpu, or make CUDA and cuDNN of the version that onnxruntime-node needs visible " +
        "(its GPU libraries come with its install script: ONNXRUNTIME_NODE_INSTALL_CUDA).",
    });
  };
  return {
    assertAvailable,
    choose: async ({ wants, deviceId }) => {
      if (device === "cpu" || wants === "cpu") return { kind: "cpu" };
      await assertAvailable();
      return (await cudaProblem()) === undefined ? { kind: "cuda", deviceId } : { kind: "cpu" };
    },
  };
};

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? text;
