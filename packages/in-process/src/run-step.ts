import type { Runner } from "@tritype/dsl";
import type { AnyStep } from "./any-step.ts";
import { type LocalRuntime, startRuntime } from "./local-runtime.ts";

const runtimes = new WeakMap<AnyStep, Promise<LocalRuntime>>();

/** Runs a step in its own runtime, which starts on the first call and is kept until the process exits. */
export const runStep: Runner["run"] = async (step, inputs) => {
  const runtime = await runtimeOf(step);
  return await runtime.run(step, inputs as never);
};

/** The same for a step that streams. */
export const streamStep: Runner["stream"] = async (step, inputs) =>
  (await runtimeOf(step)).stream(step, inputs as never);

const runtimeOf = (step: AnyStep): Promise<LocalRuntime> => runtimes.get(step) ?? open(step);

/** If a start fails, the next call tries again. */
const open = (step: AnyStep): Promise<LocalRuntime> => {
  const opening = startRuntime({ ensembles: [step] });
  runtimes.set(step, opening);
  opening.catch(() => runtimes.delete(step));
  return opening;
};
