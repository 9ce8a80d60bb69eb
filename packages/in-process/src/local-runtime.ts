/// <reference lib="esnext.disposable" preserve="true" />
import {
  type Answers,
  answersOf,
  didYouMean,
  guessHelp,
  type DType,
  type Dims,
  isDType,
  isStream,
  type NamedTensors,
  type Signature,
  type PipelineError,
  nearHelp,
} from "@tritype/core";
import {
  dslError,
  type InferInputs,
  type InferOutputs,
  type RunResult,
  type TensorValue,
} from "@tritype/dsl";
import { type DeclaredTypes, refuseMisfit, whyUnserved } from "@tritype/endpoint";
import { explainRefusal, requestTensors, responseValues } from "@tritype/protocol";
import {
  type Device,
  type ModelStatus,
  type Runtime,
  startRuntime as serveRepository,
} from "@tritype/runtime";
import { type HttpServer, serveHttp } from "@tritype/server";
import type { AnyStep } from "./any-step.ts";
import { compileSteps } from "./compile-steps.ts";
import { type TemporaryBuild, writeTemporaryBuild } from "./temporary-build.ts";
import { withHelp } from "./with-help.ts";
import { inProcessError } from "./errors.ts";

interface ServingOptions {
  /** The device for ONNX models. Default "cpu"; "auto" uses CUDA if it works. */
  readonly device?: Device;
  /** "twin" (default): native twins run in place of equivalent emitted Python; "always": the Python itself runs. */
  readonly python?: "twin" | "always";
  /**
   * Whether to serve KServe v2 over HTTP as well: `true` for any free port on this machine, or the address to listen
   * on. Default: no.
   */
  readonly http?: boolean | { readonly host?: string; readonly port?: number };
  /** Called with each line that the user should see. Default: process warnings. */
  readonly notice?: (text: string) => void;
}
/** The served models: definitions in this process, or a model repository on disk. */
export type LocalRuntimeOptions = ServingOptions &
  (
    | {
        /** Ensembles or steps, all from the same project; they and their members can be run. */
        readonly ensembles: readonly AnyStep[];
        readonly repository?: never;
      }
    | {
        /** Path of any model repository, whether or not Tritype built it. */
        readonly repository: string;
        readonly ensembles?: never;
      }
  );

/** Settings for one request. */
export interface RunOptions {
  /** Cancels the request, which then fails with `request/cancelled`. */
  readonly signal?: AbortSignal;
}
type AnyAnswer = Readonly<Record<string, TensorValue<DType, Dims>>>;

/** The local runtime in this process. It is stopped by `close()` or `await using`. */
export interface LocalRuntime {
  /**
   * Sends one request to a step or ensemble, using its types. If it streams, its answers are read with `for await`.
   * @throws PipelineError `request/invalid`, `model/not-found`, `model/unavailable`, `model/failed`, also for an answer that does not
   * have its declared type
   */
  run<E extends AnyStep>(step: E, inputs: InferInputs<E>, options?: RunOptions): RunResult<E>;
  /** Sends one request to a model that is given by name, according to its configuration. */
  run(model: string, inputs: Readonly<Record<string, unknown>>, options?: RunOptions): Promise<AnyAnswer>;
  /** The answers to one request, as they arrive; a model that does not stream gives exactly one. Leaving the loop cancels the request. */
  stream<E extends AnyStep>(step: E, inputs: InferInputs<E>, options?: RunOptions): Answers<InferOutputs<E>>;
  /** The same for a model that is given by name, according to its configuration. */
  stream(model: string, inputs: Readonly<Record<string, unknown>>, options?: RunOptions): Answers<AnyAnswer>;
  /** Every model in the repository, with the reason if a model cannot be served. */
  models(): readonly ModelStatus[];
  /** Address of the HTTP server; undefined without `http`. */
  readonly url: string | undefined;
  /** Waits for running requests, then stops everything and removes temporary builds. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves this process's ensembles, compiled as by `pipeline build`, or a model repository. Resolves when all models are
 * loaded.
 * @throws DiagnosticsError when they do not compile; PipelineError `model/unavailable` when one of their models cannot be served.
 */
export const startRuntime = async (options: LocalRuntimeOptions): Promise<LocalRuntime> => {
  try {
    refuseUnknown(options);
    return await start(options);
  } catch (error) {
    throw withHelp(error);
  }
};

const start = async (options: LocalRuntimeOptions): Promise<LocalRuntime> => {
  const build = await buildOf(options);
  let runtime: Runtime | undefined;
  let server: HttpServer | undefined;
  const close = async (): Promise<void> => {
    await server?.close();
    await runtime?.close();
    build.remove();
  };
  try {
    runtime = await serveRepository({
      repository: build.repository,
      device: options.device ?? "cpu",
      python: options.python ?? "twin",
      notice: options.notice ?? warn,
      tellPython: options.notice ?? (() => {}),
    });
    if (options.ensembles !== undefined) refuseUnavailable(runtime);
    const { http = false } = options;
    if (http !== false) server = await serveHttp(runtime, { port: 0, ...(http === true ? {} : http) });
    return serve(runtime, build.ensembles, server?.url, close);
  } catch (error) {
    await close();
    throw error;
  }
};

const known: Readonly<Record<keyof LocalRuntimeOptions, true>> = {
  ensembles: true,
  repository: true,
  device: true,
  python: true,
  http: true,
  notice: true,
};

/** Otherwise a misspelled option would be silently ignored. */
const refuseUnknown = (options: unknown): void => {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw usage("startRuntime takes an object of options", "write startRuntime({ ensembles: [embed] })");
  const names = Object.keys(known);
  refuseOthers("startRuntime", options, names);
  const { http } = options as { readonly http?: unknown };
  if (typeof http === "object" && http !== null) refuseOthers("`http` of startRuntime", http, where);
};

const where: readonly string[] = ["host", "port"];

const refuseOthers = (of: string, options: object, names: readonly string[]): void => {
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other === undefined) return;
  const within = names === where ? undefined : didYouMean(other, where);
  const near = didYouMean(other, names) ?? (within === undefined ? undefined : `http: { ${within}: … }`);
  throw usage(`${of} has no option \`${other}\``, nearHelp(near) ?? `the options are ${names.join(", ")}`);
};

/** A model that clients call, with the types that the compiler inferred. */
type TypedModel = DeclaredTypes & { readonly name: string };

const buildOf = async ({
  ensembles,
  repository,
}: LocalRuntimeOptions): Promise<TemporaryBuild & { readonly ensembles: readonly TypedModel[] }> => {
  if ((ensembles === undefined) === (repository === undefined))
    throw usage("startRuntime takes either `ensembles` or a `repository`", "pass one of them");
  if (ensembles === undefined) return { repository, ensembles: [], remove: () => {} };
  if (!Array.isArray(ensembles) || ensembles.length === 0)
    throw usage(
      "`ensembles` is empty",
      "pass the result of defineEnsemble(): startRuntime({ ensembles: [embed] })",
    );
  const { tree, manifest, root } = await compileSteps(ensembles);
  return { ...writeTemporaryBuild(tree, root), ensembles: manifest.ensembles };
};

const usage = (message: string, help: string): PipelineError =>
  inProcessError("runtime/wrong-options", { problem: message }, { help });

const warn = (text: string): void => process.emitWarning(text, { type: "Tritype" });

/** The definitions of a process belong together: if one model cannot be served, that is an error. */
const refuseUnavailable = (runtime: Runtime): void => {
  const failed = runtime.models().filter(({ state }) => state !== "READY");
  if (failed.length === 0) return;
  const help = failed.find((model) => model.help !== undefined)?.help;
  throw inProcessError("runtime/not-loaded", { reasons: failed.map(reasonOf).join("\n") }, { help });
};

const reasonOf = (model: ModelStatus): string => whyUnserved(model).trimEnd();

const serve = (
  runtime: Runtime,
  ensembles: readonly TypedModel[],
  url: string | undefined,
  close: () => Promise<void>,
): LocalRuntime => {
  const endpoint = { config: async (model: string) => runtime.modelConfig(model) };
  let closing: Promise<void> | undefined;
  const end = (): Promise<void> => (closing ??= close());
  /** Signatures of models that are given by name. They never change: nothing reloads models in this process. */
  const known = new Map<string, AnyStep>();
  const stepOf = (name: string): AnyStep => {
    refuseUnserved(runtime, name);
    const step = known.get(name) ?? servedModel(runtime, name);
    known.set(name, step);
    return step;
  };
  const prepare = (given: AnyStep | string, values: unknown) => {
    if (closing !== undefined) throw inProcessError("runtime/closed", {});
    const { name, inputs, outputs } = typeof given === "string" ? stepOf(given) : given;
    if (typeof values !== "object" || values === null || Array.isArray(values))
      throw inProcessError("run/not-an-object", { name, input: Object.keys(inputs)[0] ?? "x" });
    refuseUnserved(runtime, name);
    const tensors = requestTensors(name, inputs, new Map(Object.entries(values)));
    const typed = ensembles.find((one) => one.name === name);
    const mayLack = typed === undefined && typeof given === "string" && runtime.decoupled(name);
    const asked = { model: name, declared: typed ?? { inputs, outputs }, inputs: tensors, mayLack };
    const valuesOf = async (answer: NamedTensors): Promise<AnyAnswer> => {
      await refuseMisfit(endpoint, asked, answer);
      return responseValues(outputs, answer) as AnyAnswer;
    };
    return { request: { model: name, id: "", inputs: tensors }, name, inputs, valuesOf };
  };
  const ask = async (given: AnyStep | string, values: unknown, { signal }: RunOptions): Promise<unknown> => {
    const { request, name, inputs, valuesOf } = prepare(given, values);
    if (runtime.decoupled(name)) throw inProcessError("run/streams", { name });
    const answer = await runtime.infer(request, signal).catch((error: unknown) => {
      throw explainRefusal(error, name, inputs);
    });
    return await valuesOf(answer.outputs);
  };
  const stream = (given: AnyStep | string, values: unknown, { signal }: RunOptions = {}): Answers<never> => {
    const left = new AbortController();
    const signals = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
    const read = async function* (): AsyncGenerator<never, void, void> {
      let asked: ReturnType<typeof prepare> | undefined;
      try {
        asked = prepare(given, values);
        for await (const { response, error } of runtime.stream(asked.request, signals)) {
          if (error !== undefined) throw error;
          if (response !== undefined) yield (await asked.valuesOf(response.outputs)) as never;
        }
      } catch (error) {
        throw withHelp(asked === undefined ? error : explainRefusal(error, asked.name, asked.inputs));
      }
    };
    const { name } = typeof given === "string" ? { name: given } : given;
    return answersOf(
      read(),
      () => left.abort(),
      () => dslError("run/read-twice", { name }),
    );
  };
  const run = (given: AnyStep | string, values: unknown, options: RunOptions = {}): unknown => {
    if (typeof given !== "string" && Object.values(given.outputs).some(isStream))
      return stream(given, values, options);
    return ask(given, values, options).catch((error: unknown) => {
      throw withHelp(error);
    });
  };
  return {
    run: run as LocalRuntime["run"],
    stream,
    models: () => runtime.models(),
    url,
    close: end,
    [Symbol.asyncDispose]: end,
  };
};

const refuseUnserved = (runtime: Runtime, name: string): void => {
  const models = runtime.models();
  const model = models.find((candidate) => candidate.name === name);
  if (model === undefined) {
    const names = [...new Set(models.map((candidate) => candidate.name))];
    throw inProcessError(
      "runtime/not-served",
      { name },
      { help: guessHelp(name, names, `it serves ${names.join(", ")}`) },
    );
  }
  if (!runtime.modelReady(name))
    throw inProcessError("runtime/not-loaded", { reasons: reasonOf(model) }, { help: model.help });
};

/** A model's signature according to its configuration; other variable sizes than the batch are -1. */
const servedModel = (runtime: Runtime, name: string): AnyStep => {
  const { inputs, outputs } = runtime.modelMetadata(name);
  const isBatched =
    Number((runtime.modelConfig(name) as { readonly max_batch_size?: number }).max_batch_size) > 0;
  const dimsOf = (shape: readonly number[]) => (isBatched ? ["batch", ...shape.slice(1)] : shape);
  const signature = (tensors: typeof inputs): Signature =>
    Object.fromEntries(
      tensors.flatMap((tensor) =>
        isDType(tensor.datatype)
          ? [[tensor.name, { dtype: tensor.datatype, dims: dimsOf(tensor.shape) }]]
          : [],
      ),
    );
  return { name, inputs: signature(inputs), outputs: signature(outputs) };
};
