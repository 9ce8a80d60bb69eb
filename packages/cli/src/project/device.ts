import type { Device } from "@tritype/runtime";
import { type Given, usage } from "../command.ts";

const devices: readonly string[] = ["cpu", "cuda", "auto"] satisfies Device[];

/** `--device`. @throws PipelineError `usage/invalid` */
export const deviceOf = (given: Given, byDefault: Device): Device => {
  const device = given.text("device") ?? byDefault;
  if (!devices.includes(device)) throw usage(`--device is ${device}`, `use one of ${devices.join(", ")}`);
  return device as Device;
};
