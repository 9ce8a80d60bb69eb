import { PipelineError } from "@tritype/core";
import type { Device } from "@tritype/runtime";
import type { Given } from "../command.ts";

const devices: readonly string[] = ["cpu", "cuda", "auto"] satisfies Device[];

/** `--device`; default auto. @throws PipelineError `project/invalid` */
export const deviceOf = (given: Given): Device => {
  const device = given.text("device") ?? "auto";
  if (!devices.includes(device))
    throw new PipelineError("project/invalid", `--device is ${device}`, {
      help: `use one of ${devices.join(", ")}`,
    });
  return device as Device;
};
