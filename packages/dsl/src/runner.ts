import { type Answers, answersOf, type Signature, PipelineError } from "@tritype/core";
import type { CallSite } from "./call-site.ts";
import { isHandle } from "./handle.ts";
import type { StreamedRun } from "./values.ts";
import { dslError } from "./errors.ts";

interface Runnable {
  readonly name: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
}

type Values = Readonly<Record<string, unknown>>;

/** Compiles a step and runs it on one request; request and answers are JavaScript values. */
export interface Runner {
  run(step: Runnable, inputs: Values): Promise<Values>;
  /** Runs a step that streams; the request is sent when the first answer is read. */
  stream(step: Runnable, inputs: Values): Promise<Answers<Values>>;
}

let runner: Runner | undefined;

/** Called by every step's `run`. The DSL itself does not run anything: `tritype` provides a runner, which is loaded on the first call. */
export const useRunner = (run: Runner): void => {
  runner = run;
};

/**
 * Runs a step for a call at `site`. Errors point to `site`, because the later work runs with a different task's stack.
 * @throws PipelineError `project/invalid` immediately if a recorded tensor is passed.
 */
export const runHere = (step: Runnable, inputs: unknown, site: CallSite): Promise<Values> => {
  refuseTensors(step, inputs);
  return pointing(site, async () => await runnerOf(step).run(step, inputs as Values));
};

/** Like `runHere`, for a step that streams. */
export const streamHere = (step: Runnable, inputs: unknown, site: CallSite): StreamedRun<Values> => {
  refuseTensors(step, inputs);
  let opened: Promise<Answers<Values>> | undefined;
  const read = async function* (): AsyncGenerator<Values, void, void> {
    try {
      opened = runnerOf(step).stream(step, inputs as Values);
      yield* await opened;
    } catch (error) {
      throw pointAt(site, error);
    }
  };
  const leave = (): void => void opened?.then((inner) => inner.return()).catch(() => {});
  const { name } = step;
  const answers = answersOf(read(), leave, () => dslError("run/read-twice", { name }));
  // For `await`, which would otherwise return the stream instead of an answer.
  const then = (): never => {
    throw dslError("run/awaited", { name });
  };
  // oxlint-disable-next-line no-thenable -- it only exists to refuse `await`
  return Object.defineProperty(answers, "then", { value: then }) as unknown as StreamedRun<Values>;
};

const refuseTensors = ({ name }: Runnable, inputs: unknown): void => {
  if (isHandle(inputs) || Object.values(inputs ?? {}).some(isHandle)) throw dslError("run/tensor", { name });
};

const runnerOf = ({ name }: Runnable): Runner => {
  if (runner === undefined) throw dslError("run/no-runtime", { name });
  return runner;
};

const pointing = async <T>(site: CallSite, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw pointAt(site, error);
  }
};

const pointAt = ({ stack }: CallSite, error: unknown): unknown => {
  const frames = stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
  if (error instanceof Error && PipelineError.is(error) && frames.length > 0)
    error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
  return error;
};
