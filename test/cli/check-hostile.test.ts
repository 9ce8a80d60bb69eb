import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { encodeModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { type Checked, folderWith, pythonModel, runIn } from "./check-fixture.ts";

/** Runs `pipeline` in a thread with a small heap. Without limits in the checker, these files would need gigabytes. */
const runBounded = async (cwd: string, ...args: readonly string[]): Promise<Checked> => {
  const thread = new Worker(new URL("limited-heap.mjs", import.meta.url), {
    workerData: { cwd, args },
    env: { ...process.env, NO_COLOR: "1" },
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const [out, err, [code]] = await Promise.all([
    text(thread.stdout),
    text(thread.stderr),
    once(thread, "exit") as Promise<[number]>,
  ]);
  return { code, out, err };
};

const batching = "max_batch_size: 8\ndynamic_batching { max_queue_delay_microseconds: 500 }\n";

/** `TRITYPE_LOAD=long` tests more models. */
const long = process.env["TRITYPE_LOAD"] === "long";

test("hundreds of models are checked", async () => {
  const many = long ? 1000 : 250;
  const names = Array.from({ length: many }, (_, i) => `model_${i}`);
  const root = folderWith(Object.assign({}, ...names.map((name) => pythonModel(name, batching))));
  const { code, out, err } = await runBounded(root, "check", ".");
  expect([code, out]).toEqual([0, ""]);
  expect(err).toContain(`checked ${many} models`);
});

test("thousands of models that are links to one folder are checked", async () => {
  const root = folderWith({ ...pythonModel("one", batching), "models/": "" });
  const many = long ? 10_000 : 1000;
  for (let i = 0; i < many; i++) symlinkSync("../one", join(root, `models/model_${i}`));
  const { code, out, err } = await runBounded(root, "check", "models");
  expect([code, out]).toEqual([0, ""]);
  expect(err).toContain(`checked ${many} models`);
});

test("a configuration of 100 MB and an endless one are reported", async () => {
  const root = folderWith({ ...pythonModel("long"), ...pythonModel("sparse"), "big.pbtxt": "" });
  writeFileSync(join(root, "long/config.pbtxt"), "parameters { }\n".repeat(7_000_000));
  truncateSync(join(root, "sparse/config.pbtxt"), 2 ** 40);
  truncateSync(join(root, "big.pbtxt"), 2 ** 40);
  const { code, out } = await runBounded(root, "check", ".", "big.pbtxt");
  expect(code).toBe(1);
  for (const file of ["long/config.pbtxt", "sparse/config.pbtxt", "big.pbtxt"])
    expect(out).toContain(`┌─ ${file}:1:1`);
  expect(out.length).toBeLessThan(10_000);
});

test("very deeply nested configurations and Python files are reported", async () => {
  const root = folderWith({
    "a/config.pbtxt": "input { ".repeat(400_000),
    "b/config.pbtxt": "input { dims: [ ".repeat(200_000),
    ...pythonModel("c"),
    "c/1/model.py": `x = ${"(".repeat(1_000_000)}`,
    ...pythonModel("d"),
    "d/1/model.py": `x = ${"[-".repeat(50_000)}1${"]".repeat(50_000)}`,
  });
  const { code, out } = await runBounded(root, "check", ".");
  expect(code).toBe(1);
  expect(out).toMatch(/┌─ a\/config\.pbtxt:1:\d+/);
  expect(out).toMatch(/┌─ b\/config\.pbtxt:1:\d+/);
  expect(out.length).toBeLessThan(10_000);
});

test("binary garbage is reported by position and is not printed to the terminal", async () => {
  const bytes = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3) * 31) % 256);
  const root = folderWith({
    ...pythonModel("a"),
    "a/config.pbtxt": bytes,
    "b/config.pbtxt": 'name: "\u001b[2J\u202E" x\u001b[31m: 1',
    "b/1/": "",
    "c/config.pbtxt": 'backend: "onnxruntime"',
    "c/1/model.onnx": bytes,
    "d/config.pbtxt": 'backend: "python"',
    "d/1/model.py": bytes,
  });
  const { code, out } = await runIn(root, "check", ".");
  expect(code).toBe(1);
  expect(out).toMatch(/┌─ a\/config\.pbtxt:\d+:\d+/);
  expect(out).toMatch(/┌─ b\/config\.pbtxt:1:\d+/);
  // oxlint-disable-next-line no-control-regex
  expect(out).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/);
});

test("a line of 4 MB is shown only in part", async () => {
  const root = folderWith({ "a/config.pbtxt": 'backend: "python" '.repeat(200_000), "a/1/": "" });
  const { code, out } = await runIn(root, "check", ".");
  expect(code).toBe(1);
  expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThan(300);
});

test("valid links are followed, circular and dangling ones are reported", async () => {
  const root = folderWith({ ...pythonModel("elsewhere/a"), "models/": "" });
  symlinkSync(join(root, "elsewhere/a"), join(root, "models/linked"));
  expect(await runIn(root, "check", "models")).toMatchObject({ code: 0, out: "" });

  symlinkSync("circle", join(root, "models/circle"));
  symlinkSync("gone", join(root, "models/nowhere"));
  const { code, out } = await runIn(root, "check", "models");
  expect(code).toBe(1);
  expect(out).toContain("models/circle:1:1");
  expect(out).toContain("models/nowhere:1:1");
  expect((await runIn(root, "check", "models/circle")).err).toContain("its links form a cycle");

  const upwards = folderWith(pythonModel("a"));
  symlinkSync("..", join(upwards, "a/1/up"));
  symlinkSync(".", join(upwards, "a/again"));
  expect((await runIn(upwards, "check", ".")).err).toContain("checked 1 model ");
});

test("weights outside their model's folder are reported: by location, by link, and in a cache", async () => {
  const tensor = (location: string) => ({
    name: "w",
    dataType: 1,
    dims: [1],
    dataLocation: 1,
    externalData: [{ key: "location", value: location }],
  });
  const model = (location: string): Uint8Array =>
    encodeModel({
      irVersion: 8,
      opsetImport: [{ domain: "", version: 17 }],
      graph: { name: "g", initializer: [tensor(location)] },
    });
  const root = folderWith({
    "secret/w.bin": "0000",
    "hub/blobs/a": model("w.bin"),
    "models/up/1/model.onnx": model("../../../secret/w.bin"),
    "models/link/1/model.onnx": model("w.bin"),
    "models/cache/1/": "",
    "models/beside/1/model.onnx": model("w.bin"),
    "models/beside/1/w.bin": "0000",
  });
  symlinkSync(join(root, "secret/w.bin"), join(root, "models/link/1/w.bin"));
  writeFileSync(join(root, "hub/blobs/b"), "0000");
  symlinkSync(join(root, "hub/blobs/a"), join(root, "models/cache/1/model.onnx"));
  symlinkSync(join(root, "hub/blobs/b"), join(root, "models/cache/1/w.bin"));
  const codesFor = async (release: string): Promise<readonly string[]> => {
    const { out } = await runIn(root, "check", "models", "--target", release, "--json");
    const { diagnostics } = JSON.parse(out) as {
      readonly diagnostics: readonly {
        readonly code: string;
        readonly labels: readonly { readonly file: string }[];
      }[];
    };
    return diagnostics
      .filter(({ code }) => code.startsWith("onnx-model/external"))
      .map(({ code, labels: [at] }) => `${code} ${at?.file.replace(/^.*models\//, "")}`);
  };
  expect(await codesFor("24.10")).toEqual([
    "onnx-model/external-data-refused-later link/1/model.onnx",
    "onnx-model/external-data-refused-later up/1/model.onnx",
  ]);
  expect(await codesFor("26.03")).toEqual([
    "onnx-model/external-data-outside link/1/model.onnx",
    "onnx-model/external-data-outside up/1/model.onnx",
  ]);
  expect(await codesFor("26.02")).toEqual([
    "onnx-model/external-data-outside cache/1/model.onnx",
    "onnx-model/external-data-outside link/1/model.onnx",
    "onnx-model/external-data-outside up/1/model.onnx",
  ]);
});

/**
 * Files outside the repository that no finding may reveal. Each contains `hidden` where a finding would quote the file.
 */
const secrets = {
  "config.pbtxt": 'hidden_field: "hidden value"\n',
  "tensors.pbtxt":
    'backend: "python" input { name: "hidden_x" data_type: TYPE_FP32 dims: 0 } output { name: "hidden_y" data_type: TYPE_FP32 dims: 1 }\n',
  "model.py":
    'hidden_name = os.environ["hidden_key"]\nclass TritonPythonModel:\n    def execut(self, hidden):\n        pass\n',
  "labels.txt": "hidden_label\nhidden_label\n",
  "warmup.bin": "hidden_bytes",
  "tokenizer.json": '{"model": {"type": "hidden_type"}, hidden',
  "folder/1/hidden_file.txt": "",
  "folder/config.pbtxt": 'backend: "hidden_backend" max_batch_size: -7 hidden: 1',
};

test("a link that leads out of the repository does not reveal its target", async () => {
  const outside = folderWith(secrets);
  const io =
    'input { name: "X" data_type: TYPE_FP32 dims: 1 } output { name: "Y" data_type: TYPE_FP32 dims: 3';
  const python = `backend: "python" max_batch_size: 4 ${io}`;
  const root = folderWith({
    "config/1/model.py": "",
    "tensors/1/model.py": "",
    "code/config.pbtxt": `${python} }`,
    "code/1/": "",
    "labels/config.pbtxt": `${python} label_filename: "labels.txt" }`,
    "labels/1/model.py": "",
    "warmup/config.pbtxt": `${python} } model_warmup { name: "w" batch_size: 1 inputs { key: "X" value { data_type: TYPE_STRING dims: 1 input_data_file: "raw" } } }`,
    "warmup/1/model.py": "",
    "warmup/warmup/": "",
    "version/config.pbtxt": `${python} }`,
    "around/config.pbtxt":
      'platform: "ensemble" input { name: "A" data_type: TYPE_INT64 dims: 1 } output { name: "B" data_type: TYPE_INT64 dims: 1 } ensemble_scheduling { step { model_name: "tensors" model_version: -1 input_map { key: "X" value: "A" } output_map { key: "Y" value: "B" } } }',
    "around/1/": "",
    "caller/config.pbtxt": `${python} }`,
    "caller/1/model.py":
      'import triton_python_backend_utils as pb_utils\nclass TritonPythonModel:\n    def execute(self, requests):\n        pb_utils.InferenceRequest(model_name="tensors", requested_output_names=["Z"], inputs=[]).exec()\n        return []\n',
  });
  const links: readonly (readonly [from: string, to: string])[] = [
    ["config/config.pbtxt", "config.pbtxt"],
    ["tensors/config.pbtxt", "tensors.pbtxt"],
    ["code/1/model.py", "model.py"],
    ["code/1/tokenizer.json", "tokenizer.json"],
    ["labels/labels.txt", "labels.txt"],
    ["warmup/warmup/raw", "warmup.bin"],
    ["version/1", "folder/1"],
    ["folder", "folder"],
  ];
  for (const [from, to] of links) symlinkSync(join(outside, to), join(root, from));
  const formats = [[], ["--json"], ["--sarif"], ["--github"]];
  const runs = await Promise.all([
    ...formats.map((format) => runIn(root, "check", ".", ...format)),
    ...formats.map((format) => runIn(root, "check", "config/config.pbtxt", ...format)),
    runIn(root, "check", "tensors/config.pbtxt", "--configs-only"),
  ]);
  for (const { code, out, err } of runs) {
    expect(code).toBe(1);
    expect(`${out}${err}`).not.toMatch(/hidden|execut\b/);
  }
  const [{ out }] = runs as [Checked];
  expect(out).toContain("error[config/unknown-field]: <message> has no field <field>");
  expect(out).toContain("`config/config.pbtxt` is outside the repository, behind a link");
  for (const model of ["config", "tensors", "code", "folder", "around"]) expect(out).toContain(`─ ${model}/`);
});

test("targets of links within the repository are shown, even if the repository itself is a link", async () => {
  const root = folderWith({ ...pythonModel("models/a", "max_batch_sise: 4\n"), "models/b/1/": "" });
  symlinkSync("../a/config.pbtxt", join(root, "models/b/config.pbtxt"));
  symlinkSync("models", join(root, "linked"));
  for (const name of ["models", "linked"]) {
    const { out } = await runIn(root, "check", name);
    expect(out.match(/^4│ max_batch_sise: 4$/gm)).toHaveLength(2);
  }
});

test("a file, a pipe or a folder in the wrong place is reported", async () => {
  const root = folderWith({
    ...pythonModel("file"),
    "folder/config.pbtxt/": "",
    "folder/1/": "",
    "no-versions/config.pbtxt": 'backend: "python"',
    "no-versions/1": "a file",
    "pipe/1/": "",
    "notes.txt": "a file beside the models",
  });
  execFileSync("mkfifo", [join(root, "pipe/config.pbtxt")]);
  const { code, out } = await runIn(root, "check", ".");
  expect(code).toBe(1);
  for (const place of ["folder/config.pbtxt:1:1", "pipe/config.pbtxt:1:1", "no-versions/config.pbtxt:1:1"])
    expect(out).toContain(`┌─ ${place}`);
  expect(out).not.toContain("file/");
  expect((await runIn(root, "check", "pipe/config.pbtxt")).err).toContain(
    "it is neither a folder nor a file",
  );
});

const oddNames = [
  "with space",
  "käse",
  "日本",
  "-dash",
  ".hidden",
  "quote'\"",
  "a$b`c",
  "new\nline",
  "\u001b[31m",
  "#%",
  "emoji😀",
];

test("names with odd characters are reported correctly", async () => {
  const root = folderWith(
    Object.assign({}, ...oddNames.map((name) => pythonModel(name, "max_batch_sise: 1\n"))),
  );
  // Latin-1, which is not UTF-8.
  const latin = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(0xe9)]);
  mkdirSync(latin);
  writeFileSync(Buffer.concat([latin, Buffer.from("/config.pbtxt")]), "max_batch_sise: 1\n");
  const json = await runIn(root, "check", ".", "--json");
  const { diagnostics } = JSON.parse(json.out) as {
    readonly diagnostics: readonly {
      readonly code: string;
      readonly labels: readonly { readonly file: string; readonly line: number }[];
    }[];
  };
  const places = diagnostics.flatMap(({ code, labels: [at] }) =>
    code === "config/unknown-field" ? `${at?.file}:${at?.line}` : [],
  );
  expect(places.toSorted()).toEqual(
    [...oddNames.map((name) => `${name}/config.pbtxt:4`), "caf\uDCE9/config.pbtxt:1"].toSorted(),
  );
  const { out } = await runIn(root, "check", ".");
  expect(out).toContain("┌─ caf\uFFFD/config.pbtxt:1:1\n1│ max_batch_sise: 1");
  expect(out).toContain("┌─ new␊line/config.pbtxt:4:1");
  expect(out).not.toContain("\u001b");
  const { runs } = JSON.parse((await runIn(root, "check", ".", "--sarif")).out) as {
    readonly runs: readonly [{ readonly results: readonly object[] }];
  };
  expect(runs[0].results.length).toBe(diagnostics.length);
  expect(JSON.stringify(runs)).toContain('"caf%E9/config.pbtxt"');
});
