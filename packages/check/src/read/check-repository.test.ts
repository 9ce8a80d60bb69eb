import { encodeUtf8 } from "@tritype/core";
import { defaultRelease, releaseOf, type TritonRelease } from "@tritype/triton";
import { expect, it } from "vitest";
import type { CheckOptions } from "../check-options.ts";
import { checkConfigText, checkRepositories, checkRepository } from "./check-repository.ts";
import { type Content, memoryRepository } from "./memory-repository.fixture.ts";

/** `TRITYPE_LOAD=long`: the largest repositories. */
const long = process.env["TRITYPE_LOAD"] === "long";

const options: CheckOptions = { release: defaultRelease };
const io =
  'input { name: "X" data_type: TYPE_FP32 dims: 2 } output { name: "Y" data_type: TYPE_FP32 dims: 2 }';
const python = `backend: "python" ${io}`;
const model = "class TritonPythonModel:\n    def execute(self, requests):\n        return []\n";
const good = { "m/config.pbtxt": python, "m/1/model.py": model };

const errorsOf = (
  files: Readonly<Record<string, Content>>,
  more: Partial<CheckOptions> = {},
  locked: readonly string[] = [],
): readonly string[] =>
  checkRepository(memoryRepository(files, locked), { ...options, ...more }).diagnostics.flatMap(
    ({ severity, code, labels, message }) => {
      const { file, line, column } = labels[0]?.span ?? { file: "", line: 0, column: 0 };
      return severity === "error" ? [`${file}:${line}:${column} ${code} ${message}`] : [];
    },
  );

it("reports nothing for a repository that loads", () => {
  const { diagnostics, models } = checkRepository(memoryRepository(good), options);
  expect(diagnostics).toEqual([]);
  expect(models.get("m")).toMatchObject({
    refused: undefined,
    completed: { name: "m", backend: "python", default_model_filename: "model.py" },
  });
});

const readings: readonly (readonly [
  what: string,
  files: Readonly<Record<string, Content>>,
  errors: readonly string[],
  more?: Partial<CheckOptions>,
])[] = [
  [
    "an unknown field",
    { "m/config.pbtxt": 'name: "m"\nmax_batch_sise: 4' },
    ["m/config.pbtxt:2:1 config/unknown-field ModelConfig has no field `max_batch_sise`"],
  ],
  [
    "an unknown field in an entry of a map",
    { "m/config.pbtxt": 'metric_tags { key: "a" valu: "b" }' },
    ["m/config.pbtxt:1:24 config/unknown-field an entry of `metric_tags` has no field `valu`"],
  ],
  [
    "an enum without its prefix",
    { "m/config.pbtxt": "input { data_type: FP32 }" },
    ["m/config.pbtxt:1:20 config/unknown-enum-value `FP32` is not a value of `data_type`"],
  ],
  [
    "a field given twice",
    { "m/config.pbtxt": "max_batch_size: 1\nmax_batch_size: 1" },
    ["m/config.pbtxt:2:1 config/given-twice `max_batch_size` is given twice"],
  ],
  [
    "two schedulers",
    { "m/config.pbtxt": "dynamic_batching { }\n  sequence_batching { }" },
    [
      "m/config.pbtxt:2:3 config/several-choices more than one of `dynamic_batching`, `sequence_batching` and `ensemble_scheduling`",
    ],
  ],
  [
    "every mistake in a file",
    {
      "m/config.pbtxt":
        'max_batchsize: 4\ninput { data_type: FP32 }\nbackend: "a" backend: "b"\nmodel_metrics { }\nplatfrm: "x"',
    },
    [
      "m/config.pbtxt:1:1 config/unknown-field ModelConfig has no field `max_batchsize`",
      "m/config.pbtxt:2:20 config/unknown-enum-value `FP32` is not a value of `data_type`",
      "m/config.pbtxt:3:14 config/given-twice `backend` is given twice",
      "m/config.pbtxt:4:1 config/field-too-new unknown field `model_metrics`: ModelConfig has had it since 24.11, but the target is 24.10",
      "m/config.pbtxt:5:1 config/unknown-field ModelConfig has no field `platfrm`",
    ],
  ],
  [
    "only the first mistake if a brace is missing",
    { "m/config.pbtxt": "dynamic_batching {\n\ninput { }\noutput { }" },
    ["m/config.pbtxt:3:1 config/unknown-field ModelDynamicBatching has no field `input`"],
  ],
  [
    "a comma at the end of a list",
    { "m/config.pbtxt": "input {\n dims: [ 1, ]\n}" },
    ["m/config.pbtxt:2:11 config/syntax the configuration does not parse: integer value expected"],
  ],
  [
    "a binary file",
    { "m/config.pbtxt": Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0, 8) },
    ["m/config.pbtxt:1:5 config/not-text the configuration is not text: it contains NUL bytes"],
  ],
  [
    "another encoding",
    { "m/config.pbtxt": Uint8Array.of(...encodeUtf8("name: \n  "), 0xff, 0xfe, 0xe4) },
    ["m/config.pbtxt:2:3 config/not-text the configuration is not text: it is not UTF-8"],
  ],
  [
    "another encoding in a comment",
    { ...good, "m/config.pbtxt": Uint8Array.of(...encodeUtf8(`${python} # `), 0xe4) },
    [],
  ],
  [
    "a byte order mark",
    { "m/config.pbtxt": '\uFEFFname: "m"' },
    ["m/config.pbtxt:1:1 config/not-text the configuration is not text: it has a byte order mark"],
  ],
  [
    "a folder in place of the configuration",
    { "m/config.pbtxt": null },
    ["m/config.pbtxt:1:1 config/unreadable cannot read the configuration of model `m`"],
  ],
  [
    "a text of 100 MB",
    { "m/config.pbtxt": new Uint8Array(100e6).fill(35) },
    ["m/config.pbtxt:1:1 config/too-large the configuration has more than 4194304 bytes"],
  ],
  [
    "a link to nowhere in a model",
    { ...good, "m/labels.txt": "→" },
    ["m/labels.txt:1:1 repository/broken-link `labels.txt` in `m` is neither a file nor a folder"],
  ],
  [
    "a circular link next to the models",
    { ...good, loop: "→" },
    ["loop:1:1 repository/broken-link `loop` in the repository is neither a file nor a folder"],
  ],
  [
    "a missing configuration without auto-complete",
    { "m/1/model.py": model },
    ["m:1:1 config/missing model `m` has no config.pbtxt"],
    { strict: true },
  ],
  ["a missing configuration with it", { "m/1/model.py": model }, []],
  [
    "a field of a newer release",
    { ...good, "m/config.pbtxt": `${python}\nmodel_metrics { }` },
    [
      "m/config.pbtxt:2:1 config/field-too-new unknown field `model_metrics`: ModelConfig has had it since 24.11, but the target is 24.10",
    ],
  ],
  [
    "a field of the target release",
    { ...good, "m/config.pbtxt": `${python}\nmodel_metrics { }` },
    [],
    { release: releaseOf("24.11") as TritonRelease },
  ],
  [
    "another configuration",
    { ...good, "m/configs/gpu.pbtxt": 'name: "n"' },
    ["m/configs/gpu.pbtxt:1:1 config/folder-name model `m` has the name `n` in its configuration"],
    { configName: "gpu" },
  ],
  ["another configuration that a model does not have", good, [], { configName: "gpu" }],
];

it.each(readings.map(([what, files, errors, more]) => ({ what, files, errors, more })))(
  "reads $what",
  ({ files, errors, more }) => {
    expect(errorsOf(files, more)).toEqual(errors);
  },
);

it("names the models that lack the selected configuration", () => {
  const files = { ...good, "n/config.pbtxt": python, "n/1/model.py": model, "n/configs/gpu.pbtxt": python };
  const said = (configName?: string): readonly string[] =>
    checkRepository(memoryRepository(files), {
      ...options,
      ...(configName === undefined ? {} : { configName }),
    })
      .diagnostics.filter(({ code }) => code === "config/profile-missing")
      .map(({ message }) => message);
  expect(said("gpu")).toEqual(["`m` has no configuration `gpu`: it is served with `config.pbtxt`"]);
  expect(said()).toEqual([]);
});

it("names the folders that cannot be listed", () => {
  expect(errorsOf(good, {}, ["m"])).toEqual(["m:1:1 repository/unreadable cannot list `m`"]);
  expect(errorsOf(good, {}, ["m/1"])).toEqual(["m/1:1:1 repository/unreadable cannot list `m/1`"]);
  expect(errorsOf(good, {}, [""])).toEqual([".:1:1 repository/unreadable cannot list `.`"]);
  expect(errorsOf(good, {}, ["m/config.pbtxt"])).toEqual([
    "m/config.pbtxt:1:1 config/unreadable cannot read the configuration of model `m`",
  ]);
});

it.each([
  ["the code of a python model", good, "m/1/model.py"],
  [
    "labels",
    {
      ...good,
      "m/config.pbtxt": python.replace("output { ", 'output { label_filename: "l.txt" '),
      "m/l.txt": "a",
    },
    "m/l.txt",
  ],
  [
    "warmup data",
    {
      ...good,
      "m/config.pbtxt": `${python} model_warmup { name: "w" batch_size: 1 inputs { key: "X" value { data_type: TYPE_FP32 dims: 2 input_data_file: "x" } } }`,
      "m/warmup/x": new Uint8Array(8),
    },
    "m/warmup/x",
  ],
  ["an ONNX model", { "m/1/model.onnx": "x" }, "m/1/model.onnx"],
  ["a plan", { "m/config.pbtxt": `backend: "tensorrt" ${io}`, "m/1/model.plan": "x" }, "m/1/model.plan"],
])("reports only that %s is not readable", (_, files, file) => {
  const says = `cannot read \`${file.slice(2)}\` of \`m\``;
  expect(errorsOf(files, {}, [file])).toEqual([`${file}:1:1 repository/unreadable-file ${says}`]);
  expect(errorsOf(files, { configsOnly: true }, [file])).toEqual([]);
});

it.each([
  ["m/1/model.py", { ...good, "m/1/model.py": "→" }, "model-file/missing-python"],
  [
    "1/model.onnx",
    { "m/config.pbtxt": 'backend: "onnxruntime"', "m/1/model.onnx": "→" },
    "onnx-model/missing-file",
  ],
  ["l.txt", { ...good, "m/l.txt": "→" }, "repository/broken-link"],
] as const)("reports that %s is a broken link", (_, files, code) => {
  const { diagnostics } = checkRepository(memoryRepository(files), options);
  expect(diagnostics.map((one) => one.code)).toEqual([code]);
  expect(diagnostics[0]?.notes.join()).toContain("link to `gone`, which is broken");
});

it.each(["Config.pbtxt", "config.pbtxt.txt", "config.pbtx", "config.yaml", "1/config.pbtxt"])(
  "reports that %s is not read",
  (file) => {
    const files = { "m/1/model.py": model, [`m/${file}`]: python };
    const of = (all: Readonly<Record<string, Content>>, more: Partial<CheckOptions> = {}) =>
      checkRepository(memoryRepository(all), { ...options, ...more }).diagnostics;
    expect(of(files).map(({ code, severity, labels }) => [code, severity, labels[0]?.span.file])).toEqual([
      ["config/misnamed-file", "warning", `m/${file}`],
    ]);
    expect(of(files, { strict: true }).map(({ notes }) => notes)).toEqual([[`\`${file}\` is not read`]]);
    expect(of({ ...good, [`m/${file}`]: python })).toEqual([]);
  },
);

it("reports a model.py without a configuration, unless it completes its configuration or Triton refuses it", () => {
  const codes = (files: Readonly<Record<string, Content>>, more: Partial<CheckOptions> = {}) =>
    checkRepository(memoryRepository(files), { ...options, ...more }).diagnostics.map(({ code }) => code);
  expect(codes({ "m/1/model.py": model })).toEqual(["python/no-contract"]);
  const completed = `${model}\n    @staticmethod\n    def auto_complete_config(config):\n        return config\n`;
  expect(codes({ "m/1/model.py": completed })).toEqual([]);
  expect(codes({ "m/1/model.py": model }, { strict: true })).not.toContain("python/no-contract");
});

it("suggests `git lfs pull` only for a Git LFS pointer, and names the file of a broken model", () => {
  const of = (content: string) =>
    checkRepository(memoryRepository({ "m/1/model.onnx": content }), options).diagnostics.map(
      ({ labels, help }) => [labels[0]?.span.file, help],
    );
  const [[file, help] = []] = of("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
  expect(file).toBe("m/1/model.onnx");
  expect(help).toContain("git lfs pull");
  expect(help).not.toContain("export");
  expect(of("<html>")).toEqual([["m/1/model.onnx", expect.stringContaining("export the model again")]]);
});

it("knows which models are refused and which are unreadable", () => {
  const files = {
    "bad/config.pbtxt": `${python} max_batch_size: -1`,
    "bad/1/model.py": model,
    "broken/config.pbtxt": "{",
    "broken/1/model.py": model,
    ...good,
  };
  const { models } = checkRepository(memoryRepository(files), options);
  expect(
    [...models].map(([name, { refused, completed }]) => [name, refused, completed !== undefined]),
  ).toEqual([
    ["bad", "poll", false],
    ["m", undefined, true],
  ]);
});

it("refuses an ensemble that calls a model with a misnamed backend or with a failing parameter", () => {
  const ensemble = `platform: "ensemble" ${io}
ensemble_scheduling { step { model_name: "m" model_version: -1 input_map { key: "X" value: "X" } output_map { key: "Y" value: "Y" } } }`;
  const parameter = 'parameters { key: "k" value { string_value: "3" } }';
  const initialize =
    '    def initialize(self, args):\n        self.k = int(json.loads(args["model_config"])["parameters"]["k"])\n';
  const needs =
    "e/config.pbtxt:2:30 ensemble/refused-model ensemble `e` needs model `m`, which Triton refuses";
  expect(
    errorsOf({ ...good, "e/config.pbtxt": ensemble, "e/1/": "", "m/config.pbtxt": `backend: "onnx" ${io}` }),
  ).toEqual(["m/config.pbtxt:1:1 backend/misnamed Triton has no backend `onnx`", needs]);
  expect(
    errorsOf({
      "e/config.pbtxt": ensemble,
      "e/1/": "",
      "m/config.pbtxt": `${python} ${parameter}`,
      "m/1/model.py": `import json\n${model}${initialize}`,
    }),
  ).toEqual([
    "m/1/model.py:6:22 python/parameter-at-load `initialize` in `1/model.py` of `m` passes the parameter `k` to `int`, but it is an object with a `string_value`",
    needs,
  ]);
});

it("checks configurations without files", () => {
  const files = { "m/config.pbtxt": `${python} version_policy { specific { versions: 3 } }` };
  expect(errorsOf(files, { configsOnly: true })).toEqual([]);
  expect(errorsOf(files)).toEqual([
    "m/config.pbtxt:1:118 version/none-available `m` has no version folder that its version policy selects",
  ]);
});

it("checks a single configuration", () => {
  const { diagnostics, models } = checkConfigText(
    `${python}\nmax_batch_size: -1`,
    { file: "x.pbtxt" },
    options,
  );
  expect(diagnostics.map(({ code, labels }) => [code, labels[0]?.span])).toEqual([
    ["batch/negative-size", { file: "x.pbtxt", line: 2, column: 1 }],
  ]);
  expect([...models.values()].map(({ refused }) => refused)).toEqual(["poll"]);
  expect(checkConfigText('name: "a"', { file: "x.pbtxt", name: "b" }, options).diagnostics).toHaveLength(1);
  expect(
    checkConfigText("max_batch_size: -1", { file: "a/m/config.pbtxt" }, options).diagnostics.map(
      ({ message }) => message,
    ),
  ).toEqual(["max_batch_size of `m` is -1"]);
  expect(checkConfigText("}", { file: "x.pbtxt" }, options).diagnostics).toHaveLength(1);
  expect(
    checkConfigText("max_batchsize: 4\nsort: FP32\nplatfrm: 1", { file: "x.pbtxt" }, options).diagnostics.map(
      ({ help }) => help,
    ),
  ).toEqual(["did you mean `max_batch_size`?", undefined, "did you mean `platform`?"]);
  const warmed = `${python} model_warmup { batch_size: 9 inputs { key: "X" value { dims: [ -1 ] zero_data: true } } }`;
  expect(checkConfigText(warmed, { file: "x.pbtxt" }, options).diagnostics.map(({ code }) => code)).toContain(
    "warmup/open-dims",
  );
});

it("finds a model that exists in two repositories", () => {
  const host = memoryRepository(good);
  const { diagnostics, models } = checkRepositories(
    [
      { host, prefix: "a/" },
      { host, prefix: "b/" },
    ],
    options,
  );
  expect(diagnostics.map(({ code, labels }) => [code, ...labels.map(({ span }) => span.file)])).toEqual([
    ["repository/duplicate-model", "a/m", "b/m"],
  ]);
  expect(models.size).toBe(0);
});

it("checks thousands of models with arbitrary names", () => {
  const many = long ? 10_000 : 1000;
  const names = Array.from({ length: many }, (_, i) => `m${i}${String.fromCodePoint(33 + (i % 900))}`).map(
    (name) => name.replaceAll("/", "_"),
  );
  const files = Object.fromEntries(
    [...names, "__proto__", "a b", "\n", "..."].flatMap((name) => [
      [`${name}/config.pbtxt`, `backend: "identity" ${io}`],
      [`${name}/1/x`, ""],
    ]),
  );
  const { diagnostics, models } = checkRepository(memoryRepository(files), options);
  expect(models.size).toBe(new Set(names).size + 4);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
});

if (long) {
  it("reports more findings than a function call can have arguments", () => {
    const sizes = 150_000;
    const text = `${python} dynamic_batching { preferred_batch_size: [${"0,".repeat(sizes - 1)}0] }`;
    const found = checkConfigText(text, { file: "x.pbtxt" }, options).diagnostics;
    expect(found.filter(({ code }) => code === "batch/preferred-size").length).toBe(sizes);
    const links = Object.fromEntries(Array.from({ length: sizes }, (_, i) => [`m/link${i}`, "→"]));
    expect(checkRepository(memoryRepository({ ...good, ...links }), options).diagnostics.length).toBe(sizes);
  });
}

it("finds the first of thousands of duplicate names", () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `x${i % 10_000}`);
  const inputs = names.map((name) => `input { name: "${name}" data_type: TYPE_FP32 dims: 1 }`).join("\n");
  const { diagnostics } = checkConfigText(inputs, { file: "x.pbtxt" }, options);
  const twice = diagnostics.filter(({ code }) => code === "tensor/duplicate-input");
  expect(twice.length).toBe(10_000);
  expect(twice.at(-1)?.labels.map(({ span }) => span.line)).toEqual([20_000, 10_000]);
});

it("knows which ensembles are decoupled, even through thousands of nested ensembles and in cycles", () => {
  const ensemble = (step: string): string =>
    `platform: "ensemble" ${io} ensemble_scheduling { step { model_name: "${step}" model_version: -1 input_map { key: "X" value: "X" } output_map { key: "Y" value: "Y" } } }`;
  const depth = long ? 4000 : 1500;
  const files: Record<string, string> = {
    "e0/config.pbtxt": `${python} model_transaction_policy { decoupled: true }`,
    "e0/1/model.py": model,
    "plain/config.pbtxt": python,
    "plain/1/model.py": model,
    "around/config.pbtxt": ensemble("plain"),
    "around/1/x": "",
    "ring/config.pbtxt": ensemble("ring"),
    "ring/1/x": "",
  };
  for (let i = 1; i <= depth; i++) {
    files[`e${i}/config.pbtxt`] = ensemble(`e${i - 1}`);
    files[`e${i}/1/x`] = "";
  }
  const { models } = checkRepository(memoryRepository(files), options);
  const decoupled = (name: string) => models.get(name)?.assumed?.model_transaction_policy?.decoupled;
  expect([`e${depth}`, "e1", "around", "ring"].map(decoupled)).toEqual([true, true, false, false]);
});
