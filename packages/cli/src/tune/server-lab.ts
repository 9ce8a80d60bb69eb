import { setMaxListeners } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder } from "@tritype/wheels";
import { meanOf, type NamedTensors, PipelineError } from "@tritype/core";
import { openRemote, type RemoteEndpoint } from "@tritype/endpoint";
import { httpTarget, machineClock, modelActivity, runLoad } from "@tritype/load-test";
import { CandidateRefused, type Lab, type Point, type Slice, type Stand, type TuneLoad } from "@tritype/tune";
import { orClosed } from "../close-all.ts";
import { mostConnections } from "../bench/bench-plan.ts";
import type { BenchServer } from "../bench/open-server.ts";
import { compareAnswers } from "../verify/compare-tensors.ts";
import { type Answered, cacheSize } from "./cache-size.ts";
import type { CandidateBuild } from "./candidate.ts";

/** Milliseconds that a request may take. */
export const timeoutMs = 30_000;
const seed = 1;

/** Options for measuring slices. */
export interface SliceOptions {
  readonly model: string;
  readonly seconds: number;
  /** Maximum number of slices before the first one that counts, in a new process. */
  readonly mostWarm: number;
  /** Headers of every request to a running server. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether requests are sent in their own order, so that they repeat as in a log. Default: in random order. */
  readonly inOrder?: boolean;
  readonly signal: AbortSignal;
}

export interface ServerLabOptions extends SliceOptions {
  /** Compiles and writes the build of a point into a folder. */
  readonly build: (point: Point, folder: string) => Promise<CandidateBuild>;
  /** Whether a point has a response cache. */
  readonly isCached: (point: Point) => boolean;
  /**
   * Stops a server that is still starting when `signal` is aborted.
   * @param cacheBytes Size of its response cache; undefined: none.
   */
  readonly serve: (built: CandidateBuild, cacheBytes: number | undefined) => Promise<BenchServer>;
  /** The requests to send; called once, for the first server. */
  readonly requests: (endpoint: RemoteEndpoint) => Promise<readonly NamedTensors[]>;
}

/** Each candidate is built, and served at its own address. */
export const serverLab = (options: ServerLabOptions): Lab & { readonly close: () => Promise<void> } => {
  const { signal } = options;
  const folder = temporaryFolder("tritype-tune-");
  const answered = sameAnswers(options);
  /** Processes that have been measured, so that V8 has compiled their code, by their end. */
  const warm = new WeakSet<Promise<string>>();
  let count = 0;
  const lab: ReturnType<typeof serverLab> = {
    open: async (point) => {
      const isCached = options.isCached(point);
      // The size of its cache depends on the answers.
      if (isCached && answered.known() === undefined) await (await lab.open({})).close();
      const known = isCached ? answered.known() : undefined;
      const cacheBytes = known && cacheSize(options.model, known);
      const own = join(folder.path, String(count++));
      const built = await options.build(point, own);
      signal.throwIfAborted();
      const server = await refusing(() => options.serve(built, cacheBytes));
      const howEnded = () => Promise.race([server.ended, sleep(exitMs, undefined)]);
      const orEnded = async <T>(work: () => Promise<T>): Promise<T> => {
        try {
          return await work();
        } catch (error) {
          const how = await howEnded();
          throw how === undefined ? error : new CandidateRefused(ended(how));
        }
      };
      const endpoint = await orEnded(() => openRemote(options.model, server, { timeoutMs }));
      const close = async (): Promise<void> => {
        await endpoint.close();
        await server.close();
        rmSync(own, { recursive: true, force: true });
      };
      const requests = await orClosed({ close }, () =>
        orEnded(() => answered.requests(endpoint, () => options.requests(endpoint))),
      );
      let stand: ReturnType<typeof standAt> | undefined;
      const measure: Stand["measure"] = async (...given) => {
        const mostWarm = warm.has(server.ended) ? fewWarm : options.mostWarm;
        stand ??= standAt(server.http ?? "", endpoint, requests, { ...options, mostWarm });
        const slice = await stand.measure(...given);
        warm.add(server.ended);
        const { failed } = slice;
        if (failed === undefined) return slice;
        const how = await howEnded();
        return how === undefined ? slice : { ...slice, failed: { ...failed, message: ended(how) } };
      };
      return { measure, close };
    },
    close: async (): Promise<void> => folder.remove(),
  };
  return lab;
};

/** Milliseconds in which the exit of a process that no longer answers is noticed. */
const exitMs = 200;
const ended = (how: string): string => `the server ended: ${how}`;

/** An error from the environment is attributed to the candidate, which did not load. */
const refusing = async <T>(open: () => Promise<T>): Promise<T> => {
  try {
    return await open();
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    throw new CandidateRefused(error.message, { cause: error });
  }
};

/** Sends every request once, and refuses a candidate whose answers differ from those of the first candidate. */
export const sameAnswers = ({
  model,
  signal,
}: Pick<SliceOptions, "model" | "signal">): {
  readonly requests: (
    endpoint: RemoteEndpoint,
    ask: () => Promise<readonly NamedTensors[]>,
  ) => Promise<readonly NamedTensors[]>;
  /** The first candidate's answers; undefined before. */
  readonly known: () => Answered | undefined;
} => {
  let known: Answered | undefined;
  const requestsTo: ReturnType<typeof sameAnswers>["requests"] = async (endpoint, ask) => {
    const requests = known?.requests ?? (await ask());
    const answers: NamedTensors[] = [];
    for (const inputs of requests)
      answers.push(await refusing(() => endpoint.infer(model, inputs, undefined, signal)));
    for (const [index, answer] of answers.entries()) {
      const reference = known?.answers[index] ?? answer;
      const other = compareAnswers(answer, reference, tolerance).find(({ ok }) => !ok);
      if (other !== undefined)
        throw new CandidateRefused(
          `it answers request ${index + 1} differently: output \`${other.name}\`: ${other.problem ?? `off by ${other.maxAbsolute}`}`,
        );
    }
    known ??= { requests, answers };
    return requests;
  };
  return { requests: requestsTo, known: () => known };
};

/** The same tolerance as for batching by length, because padding may change the last digits of an answer. */
const tolerance = 1e-3;

/** The slices in which new models warm up in a process that has served others. */
export const fewWarm = 3;

/** A server under load. Before the first slice that counts, it is warmed up until it stops becoming faster. */
export const standAt = (
  http: string,
  { client }: RemoteEndpoint,
  inputs: readonly NamedTensors[],
  { model, seconds, mostWarm, headers, inOrder, signal }: SliceOptions,
): Omit<Stand, "close"> => {
  // Every slice waits for the warm-up.
  setMaxListeners(0, signal);
  const requests = inputs.map((one) => ({ inputs: one }));
  const target = httpTarget(http, { model, requests, timeoutMs, headers });
  let length = seconds;
  let sent = 0;
  const next = inOrder === true ? () => sent++ % requests.length : undefined;
  const slice = async (load: TuneLoad): Promise<Slice> => {
    const statistics = () => client.statistics().catch(() => undefined);
    let before: ReturnType<typeof statistics> = Promise.resolve(undefined);
    const recording = await runLoad({
      load: load.kind === "closed" ? load : { ...load, seed, connections: mostConnections },
      target,
      clock: machineClock,
      warmMs: Math.min(200, length * 1000),
      measureMs: length * 1000,
      drainMs: timeoutMs,
      stopMs: 0,
      seed,
      next,
      signal,
      onMeasure: () => (before = statistics()),
    });
    const [then, now] = [await before, signal.aborted ? undefined : await statistics()];
    const count = recording.failures.reduce((sum, failure) => sum + failure.count, recording.unfinished);
    return {
      perSecond: recording.perSecond,
      latencies: [...recording.latencies],
      ...(count === 0 || signal.aborted
        ? {}
        : { failed: { count, message: recording.failures[0]?.message ?? "no answer in time" } }),
      steps:
        then === undefined || now === undefined
          ? []
          : modelActivity(then, now).filter((one) => one.model !== model),
    };
  };
  let isWarm = false;
  const warmUp = async (load: TuneLoad): Promise<void> => {
    const rates: number[] = [];
    while (!isWarm && !signal.aborted) {
      const { perSecond, failed } = await slice(load);
      rates.push(perSecond);
      isWarm = failed !== undefined || rates.length >= mostWarm || standsStill(rates);
    }
  };
  return {
    measure: async (load, leastAnswers) => {
      await warmUp(load);
      let measured = await slice(load);
      // With slow models or on busy machines, a slice may have too few answers.
      while (
        measured.latencies.length < leastAnswers &&
        measured.failed === undefined &&
        length < seconds * mostLonger &&
        !signal.aborted
      ) {
        length *= 2;
        measured = await slice(load);
      }
      return measured;
    },
  };
};

const mostLonger = 16;

/**
 * Whether the last three slices were not faster than the three before them. A new process becomes two to three times as fast in
 * its first ten seconds, while V8 compiles. Single slices differ by a tenth, so two of them would stop this too early.
 */
export const standsStill = (rates: readonly number[]): boolean =>
  rates.length >= 6 && meanOf(rates.slice(-3)) <= meanOf(rates.slice(-6, -3)) * 1.03;
