import { ownValue } from "@tritype/core";
import type { PlannedCall } from "./plan-ensemble.ts";
import type { TensorNames } from "../step-kind.ts";

/** The values under their names in the configuration, in its order. */
export const renamed = <T>(
  values: Readonly<Record<string, T>>,
  names: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, T>> =>
  names === undefined
    ? values
    : Object.fromEntries(
        Object.entries(values).map(([name, value]) => [ownValue(names, name) ?? name, value]),
      );

/** A call with the names in the called model's configuration. */
export const renamedCall = (call: PlannedCall, names: TensorNames | undefined): PlannedCall => ({
  ...call,
  inputs: renamed(call.inputs, names?.inputs),
  outputs: renamed(call.outputs, names?.outputs),
});
