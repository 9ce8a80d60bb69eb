import { dirname, join } from "node:path";
import { readFileSync } from "node:fs";
import { groupBy, invariant, type NamedTensors, valuesOf } from "@tritype/core";
import { type Endpoint, openLocal, refuseUnserved, whyUnserved } from "@tritype/endpoint";
import {
  functionFiles,
  type FunctionTwinOptions,
  functionTwinSchema,
  type Manifest,
  type ManifestModel,
} from "@tritype/manifest";
import {
  type CompiledProject,
  compileProject,
  type Project,
  readCaptured,
  writeProject,
} from "@tritype/project";
import { readRawData } from "@tritype/protocol";
import type { ExitCode, Given } from "../command.ts";
import { isEqual, printStepTest, printVerdict } from "../differential/print-step-tests.ts";
import type { JsonMaterial } from "../differential/arbitrary-json.ts";
import type { StepTest } from "../differential/test-step.ts";
import type { JsonShape } from "@tritype/translator";
import { temporaryFolder } from "@tritype/wheels";
import { projectOf } from "../project/project-of.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { unknownName } from "../unknown-name.ts";
import { buildProject } from "../build/build-project.ts";

const defaultRuns = 200;
const defaultSeconds = 60;

/** `pipeline test [step…]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const limits = limitsOf(given);
  const project = projectOf(given, terminal);
  const compiled = await compileProject(project, { notice: noticeOf(terminal) });
  const resources: (() => Promise<void>)[] = [];
  try {
    const built = await buildProject(project, terminal, compiled);
    if (built === undefined) return 1;
    const apart = await withSeparateSteps(project, compiled, resources);
    return await compareSteps(given, limits, terminal, apart ?? { ...built, compiled }, resources);
  } finally {
    await Promise.all(resources.map((close) => close()));
  }
};

/** A build in which every function is a model of its own, in a temporary folder; undefined if this is already the case. */
const withSeparateSteps = async (
  project: Project,
  compiled: CompiledProject,
  resources: (() => Promise<void>)[],
): Promise<TestedBuild | undefined> => {
  const shared = (compiled.compilation.build?.manifest.models ?? []).filter(
    ({ twin }) => twin?.kind === "chain",
  );
  if (shared.length === 0) return undefined;
  const { path: output, remove } = temporaryFolder("tritype-test-");
  resources.push(async () => remove());
  const apart = await compiled.vary({
    output,
    profiles: compiled.settings.profiles,
    overrides: new Map(
      shared.flatMap(({ name, fused = [] }) =>
        [name, ...fused].map((step) => [step, { fuse: false }] as const),
      ),
    ),
  });
  const { build } = apart.compilation;
  invariant(build !== undefined, "the project does not compile with `fuse: false`");
  return { ...writeProject(project, apart, build, []), compiled: apart };
};

interface TestedBuild {
  readonly repository: string;
  readonly compiled: CompiledProject;
}

const compareSteps = async (
  given: Given,
  { runs, seed, seconds }: Limits,
  terminal: Terminal,
  { repository, compiled }: TestedBuild,
  resources: (() => Promise<void>)[],
): Promise<ExitCode> => {
  const manifest = compiled.compilation.build?.manifest;
  if (manifest === undefined) return 1;
  const steps = chosenSteps(given.positionals, manifest);
  if (steps.length === 0) {
    terminal.note("the project has no step() or batchStep() to compare");
    return 0;
  }
  const samples = samplesOf(dirname(repository), manifest);
  const { testStep } = await import("../differential/test-step.ts");
  const { literalsOf } = await import("../differential/literals.ts");
  const names = steps.map(({ model }) => model.name);
  const open = (python: "twin" | "always"): Promise<Endpoint> =>
    openSteps(repository, python, names, terminal, resources);
  const [node, python] = [await open("twin"), await open("always")];
  const tests: StepTest[] = [];
  const json = given.flag("json");
  const width = Math.max(...names.map(({ length }) => length));
  for (const { model, options } of steps) {
    const own = samples.get(model.name) ?? [];
    const module = join(repository, model.name, String(latest(model)), functionFiles.module);
    const tested = await testStep({
      step: options,
      node,
      python,
      samples: own,
      material: {
        literals: literalsOf(readFileSync(module, "utf8")),
        json: jsonOf(options, own, compiled.jsonInputs.get(options.step)),
      },
      seed,
      runs,
      limit: seconds * 1000,
      onAnswer: (requests) =>
        terminal.progress(`${model.name}: ${requests} of ${runs + own.length} requests`),
    });
    terminal.progress("");
    tests.push(tested);
    if (!json) terminal.out(printStepTest(tested, { seed, runs, seconds, width }, terminal.outColors));
  }
  terminal.out(json ? printJson(tests, seed) : printVerdict(tests, seed, terminal.outColors));
  return tests.every(isEqual) ? 0 : 1;
};

type Limits = Readonly<Record<"runs" | "seed" | "seconds", number>>;

const limitsOf = (given: Given): Limits => ({
  runs: given.integer("runs", [1, 1_000_000]) ?? defaultRuns,
  seed: given.integer("seed", [0, 2 ** 31 - 1]) ?? 1,
  seconds: given.integer("seconds", [1, 86_400]) ?? defaultSeconds,
});

interface ChosenStep {
  readonly model: ManifestModel;
  readonly options: FunctionTwinOptions;
}

const chosenSteps = (wanted: readonly string[], { models }: Manifest): readonly ChosenStep[] => {
  const functions = models.flatMap((model): ChosenStep[] => {
    const twin = model.twin ?? model.versions?.at(-1)?.twin;
    return twin?.kind === "function" ? [{ model, options: functionTwinSchema.parse(twin.options) }] : [];
  });
  const names = functions.map(({ model }) => model.name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownName("function step", unknown, names);
  return wanted.length === 0 ? functions : functions.filter(({ model }) => wanted.includes(model.name));
};

const latest = ({ versions = [] }: ManifestModel): number => versions.at(-1)?.version ?? 1;

/** The one-row requests that the ensembles' samples caused for each model, by model name. */
const samplesOf = (output: string, { warmup }: Manifest): ReadonlyMap<string, readonly NamedTensors[]> => {
  const captured = warmup === undefined ? [] : (readCaptured(output, warmup.key, [])?.requests ?? []);
  return groupBy(
    captured.map(({ model, inputs }) => {
      const tensors = Object.entries(inputs).map(
        ([name, { dtype, dims, bytes }]) =>
          [name, readRawData({ model, input: name, id: "" }, dtype, [1, ...dims], bytes)] as const,
      );
      return [model, new Map(tensors)] as const;
    }),
  );
};

const jsonOf = (
  { inputs }: FunctionTwinOptions,
  samples: readonly NamedTensors[],
  shapes: Readonly<Record<string, JsonShape>> = {},
): ReadonlyMap<string, JsonMaterial> =>
  new Map(
    Object.keys(inputs)
      .filter((name) => inputs[name]?.json === true)
      .map((name) => [
        name,
        {
          shape: shapes[name],
          seen: samples.flatMap((sample) => {
            const tensor = sample.get(name);
            return tensor === undefined ? [] : valuesOf(tensor).map(String);
          }),
        },
      ]),
  );

const openSteps = async (
  repository: string,
  python: "twin" | "always",
  names: readonly string[],
  terminal: Terminal,
  resources: (() => Promise<void>)[],
): Promise<Endpoint> => {
  const local = await openLocal(python === "twin" ? "Node" : "Python", {
    repository,
    device: "cpu",
    python,
    pythonCommand: terminal.env["TRITYPE_PYTHON"],
    control: { kind: "explicit", load: names },
    notice: noticeOf(terminal),
  });
  // A request may still be running after the time for its step is up.
  resources.push(() => local.runtime.close(true));
  refuseUnserved(
    local.runtime.models().filter(({ name }) => names.includes(name)),
    (broken) => whyUnserved(broken, "run"),
  );
  return local;
};

const printJson = (tests: readonly StepTest[], seed: number): string =>
  JSON.stringify(
    {
      seed,
      steps: tests.map((test) => ({
        step: test.step,
        requests: test.requests,
        failedAlike: test.failedAlike,
        notPortable: test.notPortable,
        stopped: test.stopped,
        equal: isEqual(test),
        ...(test.difference === undefined
          ? {}
          : {
              inputs: plainTensors(test.difference.inputs),
              node: plainOutcome(test.difference.node),
              python: plainOutcome(test.difference.python),
            }),
      })),
    },
    null,
    2,
  );

const plainTensors = (tensors: NamedTensors): object =>
  Object.fromEntries(
    [...tensors].map(([name, tensor]) => [
      name,
      { dtype: tensor.dtype, shape: tensor.shape, data: valuesOf(tensor).map(plainValue) },
    ]),
  );
const plainValue = (value: unknown): unknown =>
  typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)) ? String(value) : value;

const plainOutcome = (outcome: NonNullable<StepTest["difference"]>["node"]): object =>
  outcome.kind === "error" ? { error: outcome.text, code: outcome.code } : plainTensors(outcome.outputs);
