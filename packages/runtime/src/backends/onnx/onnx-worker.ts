import { messageOf } from "@tritype/core";
import type { InferenceSession } from "onnxruntime-node";
import { loadLibraries } from "./cuda/load-libraries.ts";
import { movingAverage } from "./moving-average.ts";
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

const outputsOf = (answer: WorkerAnswer): readonly TravellingTensor[] =>
  "outputs" in answer ? answer.outputs : [];

/**
 * Executes runs one after another. Short runs are started together and their results are sent together: each start takes a turn
 * of the event loop, and each message wakes the other thread.
 */
const createRunner = (
  session: InferenceSession,
  post: Post,
): ((runs: readonly WorkerRun[]) => Promise<void>) => {
  const backlog: WorkerRun[] = [];
  const typical = movingAverage();
  let busy = false;
  return async (runs) => {
    for (const one of runs) backlog.push(one);
    if (busy) return;
    busy = true;
    while (backlog.length > 0) {
      const count = Math.max(1, Math.floor(longest / typical.value()));
      const answers = inSuccession(
        await Promise.all(backlog.splice(0, count).map((one) => run(session, one))),
      );
      for (const answer of answers) if ("took" in answer) typical.add(answer.took);
      post({ kind: "answers", answers }, owned(answers.flatMap(outputsOf)));
    }
    busy = false;
  };
};

/** Microseconds that a result waits for later ones. */
const longest = 100;

/** Runs that began together took place one after the other: the time of each starts when the one before it has ended. */
const inSuccession = (answers: readonly WorkerAnswer[]): readonly WorkerAnswer[] => {
  let before = 0;
  return answers.map((answer) => {
    if (!("ended" in answer)) return answer;
    const took = answer.ended - Math.max(before, answer.ended - answer.took);
    before = answer.ended;
    return { ...answer, took };
  });
};

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
