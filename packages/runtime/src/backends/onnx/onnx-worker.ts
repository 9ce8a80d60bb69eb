import { messageOf } from "@tritype/core";
import type { InferenceSession } from "onnxruntime-node";
import { loadLibraries } from "./cuda/load-libraries.ts";
import { runSession } from "./run-session.ts";
import { owned } from "./travel.ts";
import { ort } from "../../threads/ort.ts";
import type { FromThread } from "../../threads/model-thread.ts";
import { serveModels } from "../../threads/serve-models.ts";
import type { ToWorker, TravellingTensor, WorkerAnswer, WorkerRun, WorkerStart } from "./worker-messages.ts";

type Post = (message: FromThread<WorkerAnswer>, transfer: readonly ArrayBuffer[]) => void;

const run = async (session: InferenceSession, { id, inputs, outputs }: WorkerRun): Promise<WorkerAnswer> => {
  try {
    return { id, ...(await runSession(ort, session, inputs, outputs)) };
  } catch (error) {
    return { id, failure: messageOf(error) };
  }
};

const timeOf = (answer: WorkerAnswer): number => ("took" in answer ? answer.took : 0);

const outputsOf = (answer: WorkerAnswer): readonly TravellingTensor[] =>
  "outputs" in answer ? answer.outputs : [];

/**
 * Executes runs one after another; results of short runs are sent together, so that they do not wake the other thread
 * one by one.
 */
const createRunner = (
  session: InferenceSession,
  post: Post,
): ((runs: readonly WorkerRun[]) => Promise<void>) => {
  const backlog: WorkerRun[] = [];
  let busy = false;
  return async (runs) => {
    for (const one of runs) backlog.push(one);
    if (busy) return;
    busy = true;
    let answers: WorkerAnswer[] = [];
    let spent = 0;
    for (let next = backlog.shift(); next !== undefined; next = backlog.shift()) {
      const answer = await run(session, next);
      answers.push(answer);
      spent += timeOf(answer);
      if (backlog.length > 0 && spent < longest) continue;
      post({ kind: "answers", answers }, owned(answers.flatMap(outputsOf)));
      answers = [];
      spent = 0;
    }
    busy = false;
  };
};

/** Microseconds that a result waits for later ones. */
const longest = 100;

serveModels(async ({ model, options, preload = [] }: WorkerStart, post: Post) => {
  const problem = loadLibraries(preload);
  if (problem !== undefined) throw new Error(problem);
  const session = await ort.InferenceSession.create(model as string, options);
  const runAll = createRunner(session, post);
  return {
    receive: ({ runs }: ToWorker) => void runAll(runs),
    release: () => session.release(),
  };
});
