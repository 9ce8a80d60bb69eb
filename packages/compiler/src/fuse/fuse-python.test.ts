import { type AnyHandles, bytes, defineEnsemble, fp32, makeStep, onnx, type Tensor } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { compileInMemory, emittedText } from "../compile.fixture.ts";
import type { StepKind } from "../step-kind.ts";
import { textFile } from "../tree.ts";

const text = bytes("batch", 1);
const vector = fp32("batch", 4);

/** A step whose model is emitted as Python. */
const py = (name: string, options: object = {}) =>
  makeStep({ kind: "py", name, inputs: { text }, outputs: { text }, options: { ...options }, calledAs: py });
const join = (name: string, options: object = {}) =>
  makeStep({
    kind: "py",
    name,
    inputs: { text, other: text },
    outputs: { text },
    options: { ...options },
    calledAs: join,
  });
const kind: StepKind = {
  kind: "py",
  refusals: "held",
  options: ["fuse", "shared"],
  read: ({ name, options }) => ({
    diagnostics: [],
    value: {
      sharesPython: options["shared"] === false ? `\`${name}\` runs elsewhere` : true,
      model: () => ({
        config: { backend: "python" },
        files: new Map([["model.py", textFile(`# ${name}\n`)]]),
        requirements: [`needed-by-${name}==1`],
        twin: { kind: "py", options: { of: name } },
      }),
    },
  }),
};

type Text = Tensor<"BYTES", readonly ["batch", 1]>;
interface Given {
  readonly a: Text;
  readonly b: Text;
}
/** Depends on every input, so that Triton can start it first. */
const both = join("both");
const ensemble = <O extends AnyHandles>(run: (given: Given) => O, name = "e") =>
  defineEnsemble({ name, maxBatchSize: 8, inputs: { a: text, b: text }, run });

const compiled = (...ensembles: readonly unknown[]) => {
  const { build, diagnostics } = compileInMemory(ensembles, {}, { stepKinds: [kind] });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const models = build?.manifest.models ?? [];
  return {
    build,
    members: models.map(({ name }) => name),
    fused: Object.fromEntries(models.flatMap(({ name, fused }) => (fused ? [[name, fused]] : []))),
    notFused: Object.fromEntries(
      models.flatMap(({ name, notFused }) => (notFused ? [[name, notFused]] : [])),
    ),
    warnings: diagnostics.map(({ code, message }) => `${code}: ${message}`),
  };
};

test("the steps around a step run in its model, each in its own folder", () => {
  const [first, second, third] = [py("first"), py("second", { fuse: true }), py("third")];
  const run = ({ a, b }: Given) => ({
    out: third({ text: second({ text: first({ text: a }).text }).text }).text,
    both: both({ text: a, other: b }).text,
  });
  const { build, members, fused } = compiled(ensemble(run));
  const config = "model_repository/e/config.pbtxt";
  expect(members).toEqual(["both", "e", "second"]);
  expect(fused).toEqual({ second: ["first", "third"] });
  expect([...(build?.tree.keys() ?? [])].filter((path) => path.includes("/second/"))).toEqual([
    "model_repository/second/1/first/model.py",
    "model_repository/second/1/model.py",
    "model_repository/second/1/second/model.py",
    "model_repository/second/1/third/model.py",
    "model_repository/second/config.pbtxt",
  ]);
  expect(
    emittedText(
      { build, diagnostics: [], emitted: { tree: new Map(), manifest: undefined, models: [] } },
      config,
    ),
  ).toMatch(/model_name: "second"[^]*?input_map \{\s*key: "text"\s*value: "a"/);
  expect(build?.manifest.requirements).toEqual([
    "needed-by-both==1",
    "needed-by-first==1",
    "needed-by-second==1",
    "needed-by-third==1",
  ]);
  expect(build?.manifest.models.find(({ name }) => name === "second")?.twin).toMatchObject({
    kind: "chain",
    options: {
      steps: [
        { name: "first", folder: "first", inputs: { text: "text" }, twin: { options: { of: "first" } } },
        { name: "second", inputs: { text: "first/text" } },
        { name: "third", inputs: { text: "second/text" } },
      ],
      outputs: { text: "third/text" },
    },
  });
});

test("tensors of several steps get different names, and an output of the ensemble may be in the middle", () => {
  const [first, last] = [join("first"), join("last", { fuse: true })];
  const run = ({ a, b }: Given) => {
    const middle = first({ text: a, other: b }).text;
    return { middle, out: last({ text: middle, other: a }).text };
  };
  const { build, members, fused } = compiled(ensemble(run));
  expect(members).toEqual(["e", "last"]);
  expect(fused).toEqual({ last: ["e_middle", "first"] });
  expect(build?.manifest.models.find(({ name }) => name === "last")?.twin?.options).toMatchObject({
    steps: [
      { name: "first", inputs: { text: "other", other: "first_other" } },
      { name: "last", inputs: { text: "first/text", other: "other" } },
    ],
    outputs: { text: "last/text", first_text: "first/text" },
  });
});

test("two ensembles with the same steps around a step share its model", () => {
  const [first, last] = [py("first"), py("last", { fuse: true })];
  const run = ({ a, b }: Given) => ({
    out: last({ text: first({ text: a }).text }).text,
    both: both({ text: a, other: b }).text,
  });
  expect(compiled(ensemble(run, "e0"), ensemble(run, "e1"))).toMatchObject({
    members: ["both", "e0", "e1", "last"],
    fused: { last: ["first"] },
  });
});

const own = { instanceGroup: [{ count: 2 }] };
test.each([
  ["without `fuse`, the last step takes the others", {}, {}, ["both", "e", "last"], {}],
  ["one with `fuse: true` takes the others", { fuse: true }, {}, ["both", "e", "first"], {}],
  ["a step with settings of its own takes others", own, {}, ["both", "e", "first"], {}],
  [
    "two steps with settings of their own stay separate",
    own,
    own,
    ["both", "e", "first", "last"],
    { first: "`first` has its own `instanceGroup`" },
  ],
  [
    "`fuse: false`",
    {},
    { fuse: false },
    ["both", "e", "first", "last"],
    { last: "`last` has `fuse: false`" },
  ],
])("the model of two steps: %s", (_, ofFirst, ofLast, members, notFused) => {
  const [first, last] = [py("first", ofFirst), py("last", ofLast)];
  const run = ({ a, b }: Given) => ({
    out: last({ text: first({ text: a }).text }).text,
    both: both({ text: a, other: b }).text,
  });
  expect(compiled(ensemble(run))).toMatchObject({ members, notFused, warnings: [] });
});

const host = py("host", { fuse: true });
const cases: readonly [string, (given: Given) => AnyHandles, Readonly<Record<string, string>>][] = [
  [
    "settings of its own",
    ({ a }) => ({ out: host({ text: py("own", { instanceGroup: [{ count: 2 }] })({ text: a }).text }).text }),
    { own: "`own` has its own `instanceGroup`" },
  ],
  [
    "`fuse: false`",
    ({ a }) => ({ out: host({ text: py("off", { fuse: false })({ text: a }).text }).text }),
    { off: "`off` has `fuse: false`" },
  ],
  [
    "another engine",
    ({ a }) => ({ out: host({ text: py("node", { shared: false })({ text: a }).text }).text }),
    { node: "`node` runs elsewhere" },
  ],
  [
    "a version",
    ({ a }) => ({ out: host({ text: py("old").version(1)({ text: a }).text }).text }),
    { old: "a call requests a version of `old`" },
  ],
  [
    "another reader that would start later",
    ({ a }) => {
      const made = py("early")({ text: a }).text;
      return { out: host({ text: made }).text, other: py("reader")({ text: made }).text };
    },
    { early: "`reader` reads a result of `early`, and does not wait for `host`" },
  ],
  [
    "another member that it would wait for",
    ({ a, b }) => {
      const late = py("slow", { shared: false })({ text: b }).text;
      const made = py("early")({ text: a }).text;
      return { out: join("host", { fuse: true })({ text: made, other: late }).text };
    },
    {
      early: "it would wait for `slow`, for which `early` does not wait",
      slow: "`slow` runs elsewhere",
    },
  ],
];
test.each(cases)("stays a separate model: %s", (_, run, wanted) => {
  const { notFused } = compiled(
    ensemble((given) => ({ ...run(given), both: both({ text: given.a, other: given.b }).text })),
  );
  expect(notFused).toEqual(wanted);
});

test("a step that is called elsewhere too stays a separate model", () => {
  const early = py("early");
  const one = ({ a, b }: Given) => ({
    out: host({ text: early({ text: a }).text }).text,
    both: both({ text: a, other: b }).text,
  });
  const other = ({ a, b }: Given) => ({ out: early({ text: both({ text: a, other: b }).text }).text });
  expect(compiled(ensemble(one), ensemble(other, "other")).notFused).toMatchObject({
    early: "`other` calls `early` elsewhere too",
  });
});

test("all calls to a step must have the same steps around them", () => {
  const run =
    (name: string) =>
    ({ a, b }: Given) => ({
      out: host({ text: py(name)({ text: a }).text }).text,
      both: both({ text: a, other: b }).text,
    });
  const why = "not all calls to `host` have the same steps around them";
  const { notFused, warnings } = compiled(ensemble(run("x"), "e0"), ensemble(run("y"), "e1"));
  expect(notFused).toEqual({ x: why, y: why });
  expect(warnings).toEqual([
    `model/not-fused: \`host\` has \`fuse: true\`, but nothing can be fused into its model: ${why}`,
  ]);
});

test("the warning for a step without adjacent Python steps says that there are none", () => {
  const model = onnx({ name: "model", file: "model.onnx", inputs: { x: vector }, outputs: { y: vector } });
  const one = defineEnsemble({
    name: "one",
    maxBatchSize: 8,
    inputs: { a: text, x: vector },
    run: ({ a, x }) => ({ out: host({ text: a }).text, y: model({ x }).y }),
  });
  const file = buildModel(
    { name: "main", inputs: [{ name: "x", type: vector }], outputs: [{ name: "y", type: vector }] },
    (builder) => ({ y: builder.node("Relu", ["x"])[0] }),
  );
  const { diagnostics } = compileInMemory([one], { "model.onnx": file }, { stepKinds: [kind] });
  expect(diagnostics.map(({ message }) => message)).toContain(
    "`host` has `fuse: true`, but nothing can be fused into its model: there is no Python step next to the calls to it",
  );
});
