import { defineEnsemble, fp32, onnx } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { type ModelConfig, parseModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import { compileInMemory, emittedText } from "../compile.fixture.ts";
import type { Compilation } from "../compile.ts";
import type { Profiles } from "./in-profile.ts";

const type = fp32("batch", 4);
const model = buildModel(
  { name: "m", inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] },
  (builder) => ({ y: builder.node("Neg", ["x"])[0] }),
);

const cpu = { instanceGroup: [{ kind: "cpu" }] };
const gpu = { instanceGroup: [{ kind: "gpu" }] };

/** An ensemble `e` with a step `m` and tensor math; these fields are set on both. */
const compiled = (profiles: Profiles, step: object = {}, ensemble: object = {}): Compilation => {
  const m = onnx({
    name: "m",
    file: "m.onnx",
    inputs: { x: type },
    outputs: { y: type },
    fuse: false,
    ...step,
  });
  const e = defineEnsemble({
    name: "e",
    maxBatchSize: 8,
    inputs: { x: type },
    run: ({ x }) => ({ z: m({ x }).y.add(1) }),
    ...ensemble,
  });
  return compileInMemory([e], { "m.onnx": model }, { profiles });
};
const configOf = (compilation: Compilation, model: string, profile?: string): ModelConfig => {
  const file = profile === undefined ? "config" : `configs/${profile}`;
  const parsed = parseModelConfig(emittedText(compilation, `model_repository/${model}/${file}.pbtxt`));
  if ("problem" in parsed) throw new Error(parsed.problem.message);
  return parsed.config;
};
const kindsOf = (compilation: Compilation, profile?: string): unknown =>
  ["m", "e_z"].map((name) => configOf(compilation, name, profile).instance_group?.[0]?.kind);
const said = ({ diagnostics }: Compilation): readonly string[] =>
  diagnostics.map(
    ({ code, message, help }) => `${code}: ${message}${help === undefined ? "" : ` (${help})`}`,
  );

test("every model has a file for every profile, listed in the manifest, and no such files without profiles", () => {
  const { build } = compiled({ gpu: {}, cpu });
  const configs = (files: Iterable<string>): readonly string[] =>
    [...files].filter((path) => path.includes("/configs/")).toSorted();
  const wanted = ["e", "e_z", "m"].flatMap((name) =>
    ["cpu", "gpu"].map((profile) => `model_repository/${name}/configs/${profile}.pbtxt`),
  );
  expect(configs(build?.tree.keys() ?? [])).toEqual(wanted);
  expect(configs(Object.keys(build?.manifest.files ?? {}))).toEqual(wanted);
  expect(configs(compiled({}).build?.tree.keys() ?? [])).toEqual([]);
});

test("a profile without fields equals the configuration without a profile", () => {
  const compilation = compiled({ gpu: {} }, { dynamicBatching: { maxQueueDelay: "1ms" } });
  for (const name of ["m", "e_z", "e"])
    expect(configOf(compilation, name, "gpu")).toEqual(configOf(compilation, name));
});

test("the setting closest to the model wins; at the same level, the profile wins", () => {
  expect(kindsOf(compiled({ p: cpu }), "p")).toEqual(["KIND_CPU", "KIND_CPU"]);
  expect(kindsOf(compiled({ p: cpu }))).toEqual(["KIND_AUTO", "KIND_AUTO"]);
  const members = { members: { profiles: { p: gpu } } };
  expect(kindsOf(compiled({ p: cpu }, {}, members), "p")).toEqual(["KIND_GPU", "KIND_GPU"]);
  expect(kindsOf(compiled({ p: gpu }, {}, { members: cpu }), "p")).toEqual(["KIND_CPU", "KIND_CPU"]);
  expect(kindsOf(compiled({ p: cpu }, { profiles: { p: gpu } }), "p")).toEqual(["KIND_GPU", "KIND_CPU"]);
  expect(kindsOf(compiled({ p: cpu }, gpu), "p")).toEqual(["KIND_GPU", "KIND_CPU"]);
  expect(kindsOf(compiled({ p: {} }, { ...gpu, profiles: { p: cpu } }, members), "p")).toEqual([
    "KIND_CPU",
    "KIND_GPU",
  ]);
});

test("a profile's field replaces the whole field, and null removes it", () => {
  const step = {
    parameters: { a: 1, b: 2 },
    dynamicBatching: { preferredBatchSize: [4], maxQueueDelay: "1ms" },
    profiles: {
      other: { parameters: { c: 3 }, dynamicBatching: { maxQueueDelay: "2ms" } },
      none: { parameters: null, dynamicBatching: null, instanceGroup: null },
    },
  };
  const compilation = compiled({ other: {}, none: gpu }, step);
  expect(configOf(compilation, "m", "other")).toMatchObject({
    parameters: { c: { string_value: "3" } },
    dynamic_batching: { max_queue_delay_microseconds: 2000 },
  });
  expect(Object.keys(configOf(compilation, "m", "other").parameters ?? {})).toEqual(["c"]);
  const none = configOf(compilation, "m", "none");
  expect([none.parameters, none.dynamic_batching, none.instance_group]).toEqual([
    undefined,
    undefined,
    [{ count: 1, kind: "KIND_AUTO" }],
  ]);
});

test("a field that is undefined in a profile overrides nothing", () => {
  const undefinedIn = { profiles: { p: { instanceGroup: undefined } } };
  expect(kindsOf(compiled({ p: gpu }, { ...cpu, ...undefinedIn }, { members: undefinedIn }), "p")).toEqual([
    "KIND_CPU",
    "KIND_GPU",
  ]);
  expect(kindsOf(compiled({ p: gpu }, {}, { members: { instanceGroup: undefined } }), "p")).toEqual([
    "KIND_GPU",
    "KIND_GPU",
  ]);
});

/** Two ensembles with the same step, each with its `members`. */
const inTwo = (first: object, second: object, step: object = {}): Compilation => {
  const m = onnx({ name: "m", file: "m.onnx", inputs: { x: type }, outputs: { y: type }, ...step });
  const [a, b] = [first, second].map((members, i) =>
    defineEnsemble({
      name: `e${i}`,
      maxBatchSize: 8,
      inputs: { x: type },
      run: ({ x }) => ({ z: m({ x }).y }),
      members,
    }),
  );
  return compileInMemory([a, b], { "m.onnx": model }, { profiles: { p: {}, q: {} } });
};

test("equal `members` of two ensembles may have their keys in any order", () => {
  const compilation = inTwo(
    { instanceGroup: [{ kind: "cpu", count: 2 }], dynamicBatching: { priorityLevels: 2n } },
    { dynamicBatching: { priorityLevels: 2n }, instanceGroup: [{ count: 2, kind: "cpu" }] },
  );
  expect(said(compilation)).toEqual([]);
  expect(configOf(compilation, "m").instance_group).toEqual([{ count: 2, kind: "KIND_CPU" }]);
});

test("the profiles in the `members` of two ensembles are merged, and must agree", () => {
  const [inP, inQ] = [{ profiles: { p: cpu } }, { profiles: { q: gpu } }];
  const groupOf = (compilation: Compilation, profile: string): unknown =>
    configOf(compilation, "m", profile).instance_group?.[0]?.kind;
  const merged = inTwo(inP, inQ, { profiles: { p: { parameters: { a: 1 } } } });
  expect([groupOf(merged, "p"), groupOf(merged, "q")]).toEqual(["KIND_CPU", "KIND_GPU"]);
  expect(said(inTwo(inP, { profiles: { p: gpu } }))).toEqual([
    "model/bad-field: configuration of `m`: the ensembles that call it give different `members.profiles.p.instanceGroup` (set `profiles.p.instanceGroup` on the step itself)",
  ]);
  expect(groupOf(inTwo(inP, { profiles: { p: gpu } }, { profiles: { p: gpu } }), "p")).toBe("KIND_GPU");
});

test("a `raw` fragment applies in every profile that does not set the field itself", () => {
  const raw = "instance_group { count: 3 kind: KIND_CPU } response_cache { enable: true }";
  const compilation = compiled({ p: {}, q: gpu }, { raw, profiles: { p: gpu } });
  expect(configOf(compilation, "m", "p")).toMatchObject({
    instance_group: [{ kind: "KIND_GPU" }],
    response_cache: { enable: true },
  });
  expect(configOf(compilation, "m", "q").instance_group).toEqual([{ count: 3, kind: "KIND_CPU" }]);
});

test("an ensemble's own cache, parameters and tags may differ, but its graph and contract may not", () => {
  const profiles = { p: { responseCache: { enable: true }, parameters: { owner: "a" } } };
  const compilation = compiled({ p: {} }, {}, { parameters: { owner: "b" }, profiles });
  const [base, p] = [configOf(compilation, "e"), configOf(compilation, "e", "p")];
  expect(p.response_cache).toEqual({ enable: true });
  expect(p.parameters).toEqual({ ...base.parameters, owner: { string_value: "a" } });
  expect(p.ensemble_scheduling).toEqual(base.ensemble_scheduling);
});

test("a response cache in one profile counts as a response cache for the container", () => {
  const off = emittedText(compiled({ p: {} }), "Dockerfile");
  const on = emittedText(
    compiled({ p: {} }, { profiles: { p: { responseCache: { enable: true } } } }),
    "Dockerfile",
  );
  expect([off.includes("--cache-config"), on.includes("--cache-config")]).toEqual([false, true]);
});

test.each<[string, Profiles, object, object, readonly string[]]>([
  [
    "a name that is nearly one of the project's",
    { gpu: {}, cpu: {} },
    { profiles: { gup: {} } },
    {},
    [
      "profile/unknown: `m` overrides fields in the profile `gup`, which the project does not have (did you mean `gpu`?)",
    ],
  ],
  [
    "profile names in a project without profiles",
    {},
    {},
    { members: { profiles: { a: {} } }, profiles: { b: {} } },
    ["b", "a"].map(
      (name) =>
        `profile/unknown: \`e\` overrides fields in the profile \`${name}\`, which the project does not have (declare it in pipeline.config.ts: \`profiles: { "${name}": {} }\`)`,
    ),
  ],
  [
    "fields that are the same in every profile",
    { p: {} },
    { profiles: { p: { maxBatchSize: 4, instanceGroups: [] } } },
    { profiles: { p: { instanceGroup: [] } }, members: { profiles: { p: { optimization: {} } } } },
    [
      "profile/fixed-field: the profile `p` cannot override `instanceGroup` of `e` (a profile can override parameters, responseCache, metricTags)",
      "profile/fixed-field: the profile `p` cannot override `optimization` of `e` (a profile can override instanceGroup, dynamicBatching)",
      "profile/fixed-field: the profile `p` cannot override `maxBatchSize` of `m` (a profile can override instanceGroup, optimization, parameters, dynamicBatching, responseCache, metricTags, modelMetrics)",
      "profile/fixed-field: the profile `p` cannot override `instanceGroups` of `m` (did you mean `instanceGroup`?)",
    ],
  ],
  [
    "a value that is not an object",
    { p: {} },
    { profiles: { p: 1 } },
    { profiles: ["p"] },
    [
      "profile/no-fields: `profiles` of `e` is not an object (write an object: profile name → the fields that it overrides)",
      "profile/no-fields: `profiles.p` of `m` is not an object (write an object: profile name → the fields that it overrides)",
    ],
  ],
])("refused: %s", (_, profiles, step, ensemble, expected) => {
  const compilation = compiled(profiles, step, ensemble);
  expect(said(compilation).toSorted()).toEqual(expected.toSorted());
  expect(compilation.build).toBeUndefined();
});

test("the error for a mistake in one profile names that profile; a mistake in all profiles is reported once", () => {
  const wrong = { instanceGroup: [{ kind: "cpu", gpus: [0] }] };
  const notes = (compilation: Compilation): unknown =>
    compilation.diagnostics.map(({ code, notes: found }) => [code, ...found]);
  expect(notes(compiled({ p: {}, q: {} }, { profiles: { q: wrong } }))).toEqual([
    ["model/bad-field", "in the profile `q`"],
  ]);
  expect(notes(compiled({ p: {}, q: {} }, wrong))).toEqual([["model/bad-field"]]);
});

test("two schedulers in one profile are refused", () => {
  const compilation = compiled(
    { p: {} },
    { sequenceBatching: { strategy: { direct: {} } }, profiles: { p: { dynamicBatching: {} } } },
  );
  expect(said(compilation)).toEqual([
    "model/bad-field: configuration of `m`: dynamicBatching and sequenceBatching are mutually exclusive",
  ]);
});
