import { join } from "node:path";
import {
  concatRows,
  invariant,
  sliceRows,
  type TensorData,
  tensorOf,
  type PipelineError,
} from "@tritype/core";
import { type CollateTwinOptions, collateTwinSchema } from "@tritype/manifest";
import { activeInstances } from "@tritype/triton";
import type { Caller, LoadedModel, ModelRequest, ModelResult, ModelVersion } from "../backend.ts";
import { askModel } from "../python/ask-model.ts";
import type { ModelHost } from "../python/model-host.ts";
import { Cancellation, type CancelSignal, onAbort } from "../scheduling/cancellation.ts";
import { type DeclaredOutput, declaredOutputs } from "./declared-outputs.ts";
import { groupRows } from "./group-rows.ts";
import { type OpenEngine, openEngine } from "./open-engine.ts";
import type { EncodedRow, TokenizerEngine } from "./tokenizer-engine.ts";
import { requireWaiting } from "./take-turns.ts";
import { readRows, refuseTooLong } from "./tokenizer-rows.ts";
import { paddedLength, paddedTensor } from "./tokenizer-tensors.ts";
import { readOptions } from "./read-options.ts";
import { failureAt } from "../failure-at.ts";

/**
 * The native twin of a collate step: the same groups, responses, error messages and codes as the emitted
 * `model.py`, which is the contract. The next model is called through the runtime's regular entry point.
 * @throws PipelineError as `loadTwin` does.
 */
export const loadCollateTwin = async (
  given: unknown,
  model: ModelVersion,
  notice: (text: string) => void,
  host: ModelHost | undefined,
  native?: OpenEngine,
): Promise<LoadedModel> => {
  const options = readOptions(collateTwinSchema, given, model);
  invariant(host !== undefined, `${model.name} calls other models, but nothing serves them`);
  const engine = await openEngine(join(model.versionFolder, "tokenizer.json"), options, notice, native);
  const collator = { options, engine, host, declared: declaredOutputs(model) };
  const instances: Caller[] = Array.from({ length: activeInstances(model.config).length }, () => ({}));
  const idle = [...instances];
  return {
    instances: instances.length,
    callers: instances,
    async execute(requests) {
      const instance = idle.pop();
      invariant(instance !== undefined, `${model.name} runs more requests than it has instances`);
      try {
        return await collate(requests, instance, collator);
      } finally {
        idle.push(instance);
      }
    },
    close: async () => {},
  };
};

interface Collator {
  readonly options: CollateTwinOptions;
  readonly engine: TokenizerEngine;
  readonly host: ModelHost;
  readonly declared: ReadonlyMap<string, DeclaredOutput>;
}

/** A request: its rows, or its error. */
interface Job {
  readonly request: ModelRequest;
  rows: readonly Row[];
  error: PipelineError | undefined;
}
/** The tokens of a text, and later the position of its response. */
interface Row {
  readonly job: Job;
  readonly tokens: EncodedRow;
  /** Number of tokens if it were padded alone. */
  readonly length: number;
  answer: { readonly outputs: ReadonlyMap<string, TensorData>; readonly at: number } | undefined;
}

const collate = async (
  requests: readonly ModelRequest[],
  instance: Caller,
  collator: Collator,
): Promise<readonly ModelResult[]> => {
  const jobs = requests.map((request): Job => ({ request, rows: [], error: undefined }));
  await encode(jobs, collator);
  const groups = groupRows(
    jobs.flatMap(({ rows }) => rows),
    collator.options,
  );
  const { signals, stop } = watchGroups(requests, groups);
  await Promise.all(groups.map((group, i) => answer(group, { instance, signal: signals[i] }, collator)));
  stop();
  return jobs.map((job) => respond(job, collator));
};

/**
 * Encodes the rows of all jobs together; if that fails, one job after the other, so that none fails because
 * of another's text.
 */
const encode = async (jobs: readonly Job[], collator: Collator): Promise<void> => {
  const { engine, options } = collator;
  try {
    for (const { request } of jobs) requireWaiting(request.signal);
    const texts = jobs.map(({ request }) => readRows(request, options));
    const encoded = await engine.encode(
      texts.flat(),
      jobs.length === 1 ? jobs[0]?.request.signal : undefined,
    );
    let at = 0;
    const cut = texts.map(({ length }) => encoded.slice(at, (at += length)));
    for (const rows of cut) refuseTooLong(rows, options);
    jobs.forEach((job, index) => {
      job.rows = (cut[index] ?? []).map((tokens) => ({
        job,
        tokens,
        length: lengthAlone(tokens, options),
        answer: undefined,
      }));
    });
  } catch (error) {
    const [only] = jobs;
    if (only === undefined) return;
    if (jobs.length > 1) for (const job of jobs) await encode([job], collator);
    else only.error = failureAt(`${options.step}: `, error);
  }
};

const lengthAlone = (row: EncodedRow, { padding, maxLength }: CollateTwinOptions): number =>
  paddedLength([row], padding, maxLength);

/** The next model's response to rows of one length. If it fails, so do the requests that have rows in it. */
const answer = async (
  group: readonly Row[],
  { instance, signal }: { readonly instance: Caller; readonly signal: CancelSignal | undefined },
  collator: Collator,
): Promise<void> => {
  const { options, host } = collator;
  const askers = [...new Set(group.map(({ job }) => job.request))];
  const outputs = [...new Set(askers.flatMap((request) => request.outputs))];
  const callers = [...new Set([instance, ...askers.flatMap((request) => request.callers ?? [])])];
  const rows = group.map(({ tokens }) => tokens);
  const length = group[0]?.length ?? 0;
  try {
    const inputs = options.inputs.map(
      (name) => [name, paddedTensor(name, options.ids, rows, length, options.pad)] as const,
    );
    const asked = await askModel(
      host,
      { model: options.behind, id: "", inputs: new Map(inputs), outputs },
      { callers, signal, trace: askers[0]?.trace?.child() },
    );
    if ("error" in asked) throw new Error(asked.error);
    group.forEach((row, at) => {
      row.answer = { outputs: asked.outputs, at };
    });
  } catch (error) {
    const failed = failureAt("", error);
    for (const { job } of group) job.error ??= failed;
  }
};

/** Aborts a group when none of its requests is needed anymore. */
const watchGroups = (
  requests: readonly ModelRequest[],
  groups: readonly (readonly Row[])[],
): { readonly signals: readonly CancelSignal[]; readonly stop: () => void } => {
  const signals = groups.map(() => new Cancellation());
  const abortAbandoned = (): void => {
    for (const [i, group] of groups.entries())
      if (group.every(({ job }) => job.request.signal?.aborted === true)) signals[i]?.abort();
  };
  const stops = requests.map(({ signal }) => onAbort(signal, abortAbandoned));
  abortAbandoned();
  return {
    signals,
    stop: () => stops.forEach((stop) => stop()),
  };
};

const respond = ({ request, rows, error }: Job, { options, declared }: Collator): ModelResult => {
  if (error !== undefined) return { error };
  try {
    return {
      outputs: new Map(
        request.outputs.map((name) => {
          const output = declared.get(name);
          invariant(output !== undefined, `output ${name} was requested but is not declared`);
          return [name, joined(name, rows, output)];
        }),
      ),
    };
  } catch (cause) {
    return { error: failureAt(`${options.step}: `, cause) };
  }
};

/** An output of all rows, checked against the dims of config.pbtxt. */
const joined = (name: string, rows: readonly Row[], { dtype, dims }: DeclaredOutput): TensorData => {
  if (rows.length === 0) return tensorOf(dtype, [0, ...dims], []);
  return concatRows(
    rows.map(({ answer: answered }) => {
      const tensor = answered?.outputs.get(name);
      invariant(answered !== undefined && tensor !== undefined, `no answer for ${name}`);
      const shape = tensor.shape.slice(1);
      if (shape.join() !== dims.join())
        throw new Error(
          `output ${name} has rows of shape [${shape.join(", ")}], but config.pbtxt declares [${dims.join(", ")}]`,
        );
      return sliceRows(tensor, answered.at, answered.at + 1);
    }),
  );
};
