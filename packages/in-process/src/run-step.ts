import type { Runner } from "@tritype/dsl";
import type { AnyStep } from "./any-step.ts";
import { type LocalRuntime, startRuntime } from "./local-runtime.ts";

const runtimes = new WeakMap<AnyStep, Promise<LocalRuntime>>();

/** Runs a step in its own runtime, which starts at the first call and is kept until the process ends. */
export const runStep: Runner = async (step, inputs) => {
  const runtime = await (runtimes.get(step) ?? open(step));
  return await runtime.run(step, inputs as never);
};

/** If a start fails, the next call tries again. */
const open = (step: AnyStep): Promise<LocalRuntime> => {
  const opening = startRuntime({ ensembles: [step] });
  runtimes.set(step, opening);
  opening.catch(() => runtimes.delete(step));
  return opening;
};
