import { type Signature, PipelineError } from "@tritype/core";
import type { CallSite } from "./call-site.ts";
import { isHandle } from "./handle.ts";
import { dslError } from "./errors.ts";

interface Runnable {
  readonly name: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
}

/** Compiles a step and runs it on one request; request and response are JavaScript values. */
export type Runner = (
  step: Runnable,
  inputs: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, unknown>>>;

let runner: Runner | undefined;

/**
 * Called by `run` of every step. The DSL itself does not run anything: `tritype` provides a runner, loaded at the first
 * call.
 */
export const useRunner = (run: Runner): void => {
  runner = run;
};

/**
 * Runs a step for a call at `site`. Errors point to `site`, because the later work has the stack of another task.
 * @throws PipelineError `project/invalid` immediately if a recorded tensor is passed.
 */
export const runHere = (
  step: Runnable,
  inputs: unknown,
  site: CallSite,
): Promise<Readonly<Record<string, unknown>>> => {
  const { name } = step;
  if (isHandle(inputs) || Object.values(inputs ?? {}).some(isHandle)) throw dslError("run/tensor", { name });
  return checkAndRun(step, inputs).catch((error: unknown) => {
    throw pointAt(site, error);
  });
};

const checkAndRun = async (step: Runnable, inputs: unknown): Promise<Readonly<Record<string, unknown>>> => {
  if (runner === undefined) throw dslError("run/no-runtime", { name: step.name });
  return await runner(step, inputs as Readonly<Record<string, unknown>>);
};

const pointAt = ({ stack }: CallSite, error: unknown): unknown => {
  const frames = stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
  if (error instanceof Error && PipelineError.is(error) && frames.length > 0)
    error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
  return error;
};
