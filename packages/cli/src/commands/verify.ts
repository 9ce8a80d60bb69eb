import { dirname, resolve } from "node:path";
import { didYouMean, type ErrorCode, type NamedTensors, PipelineError, rowsOf } from "@tritype/core";
import type { InferRequest, ModelMetadata, Runtime, RuntimeOptions } from "@tritype/runtime";
import type { ModelConfig } from "@tritype/triton";
import { type ExitCode, type Given, usage } from "../command.ts";
import { describeError } from "../describe-error.ts";
import { configNameOf } from "../project/config-name.ts";
import { needProfile, refuseProfileOf } from "../project/need-profile.ts";
import { repositoryOf } from "../project/repository-of.ts";
import { readManifest } from "../project/write-build.ts";
import type { Terminal } from "../terminal.ts";
import { compareAnswers, different, type TensorComparison } from "../verify/compare-tensors.ts";
import { type MemberCall, runMembers } from "../verify/ensemble-members.ts";
import { compareRows } from "../verify/row-independence.ts";
import { acceptedInputsOf } from "../verify/accepted-inputs.ts";
import { type AcceptedInputs, generatedRequests, requestsOfFile } from "../verify/sample-requests.ts";
import type { ListenedRuntime } from "../warmup/listened-runtime.ts";
import { openTriton } from "../verify/open-triton.ts";
import { printFindings, type Finding } from "../verify/findings.ts";

/** One way to run a model: local native, local Python, Triton over HTTP, Triton over gRPC. */
interface Run {
  readonly name: string;
  infer(model: string, inputs: NamedTensors, version?: string): Promise<NamedTensors>;
}

/** `pipeline verify [ensemble]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const tolerance = toleranceOf(given);
  const file = given.text("samples");
  const samples = file === undefined ? undefined : resolve(terminal.cwd, file);
  const asked = configNameOf(given);
  if (given.text("triton-url") !== undefined) refuseProfileOf(asked, "triton-url");
  const built = await repositoryOf(undefined, given, terminal);
  if (built === undefined) return 1;
  await needProfile(built.repository, asked, terminal);
  const models = given.positionals.length > 0 ? given.positionals : built.ensembles;
  const unknown = models.find((model) => !built.ensembles.includes(model));
  if (unknown !== undefined) {
    const near = didYouMean(unknown, built.ensembles);
    throw usage(
      `there is no ensemble \`${unknown}\``,
      near === undefined ? `the project exports ${built.ensembles.join(", ")}` : `did you mean \`${near}\`?`,
    );
  }
  const resources: (() => Promise<void>)[] = [];
  try {
    const triton = given.flag("no-triton")
      ? undefined
      : await openTriton(given, { repository: built.repository, configName: asked }, terminal, resources);
    const configName = triton === undefined ? asked : triton.configName;
    const modelCalls: InferRequest[] = [];
    const open = (
      python: "twin" | "always",
      onModelCall?: (request: InferRequest) => void,
    ): Promise<Runtime> =>
      openRuntime(
        { repository: built.repository, configName, python, pythonCommand: triton?.python, onModelCall },
        terminal,
        resources,
      );
    const native = { runtime: await open("twin", (request) => modelCalls.push(request)), modelCalls };
    const runs: Run[] = [
      ...(given.flag("no-python") ? [] : [localRun("local python", await open("always"))]),
      ...(triton?.runs ?? []),
    ];
    const functions = functionSteps(dirname(built.repository));
    const findings: Finding[] = [];
    const failing: VerifiedModel[] = [];
    for (const model of models) {
      const verified = await verifyModel(
        model,
        native,
        runs,
        {
          file: samples,
          own: built.samples.filter(({ ensemble }) => ensemble === model).map(({ inputs }) => inputs),
          generated: !given.flag("no-generated"),
          accepted: acceptedInputsOf(built.repository, model),
        },
        tolerance,
        functions,
      );
      findings.push(...verified.findings);
      if (!verified.answered) failing.push(verified);
    }
    terminal.out(
      given.flag("json")
        ? JSON.stringify(findings, null, 2)
        : printFindings(findings, tolerance, terminal.colors),
    );
    for (const { model, failure = "" } of failing)
      terminal.note(describeError(nothingAnswered(model, failure), terminal.colors, ""));
    return failing.length === 0 && findings.every(({ tensor }) => tensor.ok) ? 0 : 1;
  } finally {
    for (const close of resources.toReversed()) await close();
  }
};

/** Names of the models that are functions of the user's. */
const functionSteps = (output: string): readonly string[] =>
  (readManifest(output)?.models ?? []).filter(({ kind }) => kind === "function").map(({ name }) => name);

const toleranceOf = (given: Given): number => {
  const text = given.text("tolerance") ?? "1e-5";
  const tolerance = Number(text);
  if (!(tolerance >= 0)) throw usage(`--tolerance is ${text}`, "use a number, such as 1e-4");
  return tolerance;
};

const openRuntime = async (
  {
    pythonCommand,
    ...options
  }: Pick<RuntimeOptions, "repository" | "configName" | "python" | "pythonCommand" | "onModelCall">,
  terminal: Terminal,
  resources: (() => Promise<void>)[],
): Promise<Runtime> => {
  const { startRuntime } = await import("@tritype/runtime");
  const runtime = await startRuntime({
    ...options,
    device: "cpu",
    pythonCommand: terminal.env["TRITYPE_PYTHON"] ?? pythonCommand,
    notice: (text) => terminal.note(`${terminal.colors.dim("note")} ${text}`),
  });
  resources.push(() => runtime.close());
  const broken = runtime.models().find(({ state }) => state !== "READY");
  if (broken !== undefined)
    throw new PipelineError(
      "model/unavailable",
      `\`${broken.name}\` cannot be served: ${broken.reason ?? "reason unknown"}`,
      broken.help === undefined ? {} : { help: broken.help },
    );
  return runtime;
};

const localRun = (name: string, runtime: Runtime): Run => ({
  name,
  infer: async (model, inputs, version) =>
    (await runtime.infer({ model, ...(version === undefined ? {} : { version }), id: "", inputs })).outputs,
});

/** What the user gave: a file of requests, or the samples of the ensemble's `warmup`, to which generated ones are added. */
interface Samples {
  readonly file: string | undefined;
  readonly own: readonly NamedTensors[];
  /** Whether requests are made from the types. */
  readonly generated: boolean;
  /** Constraints for the generated ones. */
  readonly accepted: AcceptedInputs;
}

interface VerifiedModel {
  readonly model: string;
  readonly findings: readonly Finding[];
  /** Whether local native answered any request; one that all fail alike proves little. */
  readonly answered: boolean;
  /** The first error. */
  readonly failure: string | undefined;
}

const nothingAnswered = (model: string, failure: string): PipelineError =>
  new PipelineError("model/failed", `\`${model}\` answered no request: ${firstLine(failure)}`, {
    help: "add `warmup` samples that the ensemble can answer, or pass such requests with --samples file.json",
  });

const verifyModel = async (
  model: string,
  listened: ListenedRuntime,
  runs: readonly Run[],
  samples: Samples,
  tolerance: number,
  functions: readonly string[],
): Promise<VerifiedModel> => {
  const { runtime } = listened;
  const native = localRun("local native", runtime);
  const metadata = runtime.modelMetadata(model);
  const config = runtime.modelConfig(model) as ModelConfig;
  const maxBatchSize = config.max_batch_size ?? 0;
  const requests =
    samples.file === undefined
      ? [
          ...samples.own,
          ...(samples.generated
            ? await acceptedRequests(
                native,
                metadata,
                { maxBatchSize, accepted: samples.accepted },
                functions,
              )
            : []),
        ]
      : requestsOfFile(samples.file, metadata);
  if (requests.length === 0)
    throw usage(
      `there is no request for \`${model}\`: the ensemble has no \`warmup\` samples`,
      "remove --no-generated, add `warmup` samples to the ensemble, or pass requests with --samples file.json",
    );
  const findings: Finding[] = [];
  const answered: NamedTensors[] = [];
  let failure: string | undefined;
  const verified = (): VerifiedModel => ({ model, findings, answered: answered.length > 0, failure });
  for (const [index, inputs] of requests.entries()) {
    const reference = await answerOrFailure(native, model, inputs);
    if (typeof reference !== "string") answered.push(inputs);
    else failure ??= reference;
    for (const other of runs)
      for (const tensor of typeof reference === "string"
        ? [await compareFailure(other, model, inputs, reference)]
        : await compareRun(other, model, inputs, reference, tolerance))
        findings.push({ model, check: other.name, request: index + 1, tensor });
  }
  if (maxBatchSize === 0) return verified();
  const widest = answered.toSorted((a, b) => rowsOf(b) - rowsOf(a))[0];
  if (widest === undefined || rowsOf(widest) < 2) return verified();
  const calls = await memberCalls(listened, config, widest);
  for (const call of [{ model, version: undefined, inputs: widest }, ...calls])
    for (const { way, tensors } of await compareRows(
      call.inputs,
      (inputs) => native.infer(call.model, inputs, call.version),
      tolerance,
    ))
      for (const tensor of tensors)
        findings.push({ model: call.model, check: way, request: requests.indexOf(widest) + 1, tensor });
  return verified();
};

/** The answer of a run, or the text of a model's error. */
const answerOrFailure = async (
  run: Run,
  model: string,
  inputs: NamedTensors,
): Promise<NamedTensors | string> => {
  try {
    return await run.infer(model, inputs);
  } catch (error) {
    if (PipelineError.is(error) && answers.has(error.code)) return error.message;
    throw error;
  }
};

/** Codes of errors that are a model's answer to its request. */
const answers: ReadonlySet<ErrorCode> = new Set([
  "request/invalid",
  "request/unsupported",
  "model/failed",
  "model/unknown-error",
]);

/** If local native fails, the others must fail in the same way. */
const compareFailure = async (
  run: Run,
  model: string,
  inputs: NamedTensors,
  text: string,
): Promise<TensorComparison> => {
  try {
    await run.infer(model, inputs);
    return different("(error)", `an answer, but local native fails: ${text}`);
  } catch (error) {
    if (!PipelineError.is(error) || error.code === "server/unreachable") throw error;
    return firstLine(error.message) === firstLine(text)
      ? { name: "(error)", ok: true, maxAbsolute: 0, maxRelative: 0, problem: undefined }
      : different("(error)", `${error.message}, but local native says: ${text}`);
  }
};

/** The rest is Python's stack, with the paths of each server. */
const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

/** The requests that reach an ensemble's members, and the calls from them to other models, including members of ensembles. */
const memberCalls = async (
  { runtime, modelCalls }: ListenedRuntime,
  config: ModelConfig,
  inputs: NamedTensors,
): Promise<readonly MemberCall[]> => {
  const native = localRun("local native", runtime);
  modelCalls.length = 0;
  const { calls } = await runMembers(config, inputs, (member, given, version) =>
    native.infer(member, given, version),
  );
  const all = [...calls];
  for (const { model, version, inputs: given } of modelCalls.splice(0)) {
    all.push({ model, version, inputs: given });
    const asked = runtime.modelConfig(model, version) as ModelConfig;
    if (asked.ensemble_scheduling !== undefined)
      all.push(...(await memberCalls({ runtime, modelCalls }, asked, given)));
  }
  return all;
};

/** A run that refuses what local native answers differs too. */
const compareRun = async (
  run: Run,
  model: string,
  inputs: NamedTensors,
  reference: NamedTensors,
  tolerance: number,
): Promise<readonly TensorComparison[]> => {
  try {
    return compareAnswers(await run.infer(model, inputs), reference, tolerance);
  } catch (error) {
    if (!PipelineError.is(error) || error.code === "server/unreachable") throw error;
    return [...reference.keys()].map((name) => different(name, `no answer: ${error.message}`));
  }
};

/** Varied requests, or shorter ones where the model refuses a long text (a tokenizer without truncation). */
const acceptedRequests = async (
  native: Run,
  metadata: ModelMetadata,
  { maxBatchSize, accepted }: { readonly maxBatchSize: number; readonly accepted: AcceptedInputs },
  functions: readonly string[],
): Promise<readonly NamedTensors[]> => {
  // An error thrown by a function is its answer, whatever its length.
  const isRefusal = (answer: NamedTensors | string): boolean =>
    typeof answer === "string" && !functions.some((name) => answer.includes(`${name}: `));
  const refused = async (requests: readonly NamedTensors[]): Promise<number> => {
    let count = 0;
    for (const inputs of requests)
      if (isRefusal(await answerOrFailure(native, metadata.name, inputs))) count++;
    return count;
  };
  const varied = generatedRequests(metadata, maxBatchSize, accepted);
  const ofVaried = await refused(varied);
  if (ofVaried === 0) return varied;
  const short = generatedRequests(metadata, maxBatchSize, accepted, "short");
  return (await refused(short)) < ofVaried ? short : varied;
};
