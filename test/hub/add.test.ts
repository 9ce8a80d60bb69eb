import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Dim } from "@tritype/core";
import { buildModel, decodeModel, encodeModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { encoderModel } from "../fixtures/models.ts";
import { type AddProject, addProject, steady } from "./add-project.ts";
import { withExternalData } from "../fixtures/external-data.ts";
import { e5Repository } from "./e5.ts";
import { hex, startHub } from "./hub-server.ts";

/** Pastes the output into a separate pipeline, and builds that. */
const buildPasted = async (project: AddProject, out: string): Promise<void> => {
  project.write("pipeline.ts", out);
  const { code, err } = await project.pipeline(["build"]);
  expect(code, err).toBe(0);
};

test("adds a repository of the hub: files, signature, lock, and steps that compile and run", async () => {
  const server = await startHub({ "intfloat/multilingual-e5-small": e5Repository });
  const project = addProject(server, { ".gitignore": "build/" });
  const { code, out, err } = await project.pipeline(["add", "hf:intfloat/multilingual-e5-small"]);
  expect(code, err).toBe(0);
  expect(steady(err)).toMatchInlineSnapshot(`
    "hf:intfloat/multilingual-e5-small@<commit>: onnx/model.onnx (418 B); --file picks another: onnx/model_O4.onnx (418 B), onnx/model_qint8_avx512.onnx (418 B)
    wrote models/multilingual-e5-small.ts
    wrote .gitignore: /assets/multilingual-e5-small/ stays out of git
    wrote assets/multilingual-e5-small/model.onnx, assets/multilingual-e5-small/tokenizer.json, assets/multilingual-e5-small/tokenizer_config.json, assets/multilingual-e5-small/config.json, assets/multilingual-e5-small/sentence_bert_config.json
    wrote pipeline.lock.json: \`pipeline add\` downloads the same bytes on another machine
    steps that serve it, for pipeline.ts:
    "
  `);
  expect(out).toMatchInlineSnapshot(`
    "import { bytes, defineEnsemble, onnx, tokenizer } from "tritype";
    import { multilingualE5Small as modelFile } from "./models/multilingual-e5-small.ts";

    const tokenize = tokenizer({
      name: "multilingual-e5-small-tokenizer",
      from: "assets/multilingual-e5-small",
      maxLength: 512, // tokenizer_config.json, config.json, sentence_bert_config.json
    });

    const model = onnx({
      name: "multilingual-e5-small-model",
      ...modelFile,
    });

    export const multilingualE5Small = defineEnsemble({
      name: "multilingual-e5-small",
      maxBatchSize: 32,
      inputs: { text: bytes("batch", 1) },
      run({ text }) {
        const { input_ids, attention_mask } = tokenize({ text });
        return model({ input_ids, attention_mask });
      },
    });
    "
  `);
  expect(
    project.read("models/multilingual-e5-small.ts")?.replace(/sha256 \S+/, "sha256 <hash>"),
  ).toMatchInlineSnapshot(`
    "import { fp32, int64 } from "tritype";

    // Written by \`pipeline types\`. Do not edit.
    /** assets/multilingual-e5-small/model.onnx · opset 17 · sha256 <hash> */
    export const multilingualE5Small = {
      file: "assets/multilingual-e5-small/model.onnx",
      inputs: {
        input_ids: int64("batch", "seq"),
        attention_mask: int64("batch", "seq")
      },
      outputs: {
        last_hidden_state: fp32("batch", "seq", 8)
      }
    } as const;
    "
  `);
  expect(project.read(".gitignore")).toBe("build/\n/assets/multilingual-e5-small/\n");
  const lock = JSON.parse(project.read("pipeline.lock.json") ?? "");
  expect(lock.models["multilingual-e5-small"]).toMatchObject({
    source: "hf:intfloat/multilingual-e5-small",
    revision: "main",
    commit: server.commitOf("intfloat/multilingual-e5-small"),
  });
  expect(lock.models["multilingual-e5-small"].files["assets/multilingual-e5-small/model.onnx"]).toMatchObject(
    {
      from: "onnx/model.onnx",
      sha256: hex("sha256", encoderModel()),
    },
  );
  await buildPasted(project, out);
  const answered = await project.pipeline(["run", "multilingual-e5-small", "a text"]);
  expect(answered.code, answered.err).toBe(0);
  expect(answered.out).toContain("last_hidden_state");
});

test("a second machine gets the same bytes, and downloads only what it lacks", async () => {
  const server = await startHub({ "intfloat/e5": e5Repository });
  const first = addProject(server);
  const added = await first.pipeline(["add", "hf:intfloat/e5"]);
  const second = addProject(server, { "pipeline.lock.json": first.read("pipeline.lock.json") ?? "" });
  second.write("models/e5.ts", first.read("models/e5.ts") ?? "");
  second.write("pipeline.ts", added.out);
  const early = await second.pipeline(["build"]);
  expect(early.code).toBe(1);
  expect(early.err).toContain("help: run `pipeline add`, which downloads the files in pipeline.lock.json");
  server.fault = ({ path }) => (path.startsWith("/api/models") ? { kind: "answer", status: 500 } : undefined);
  const brought = await second.pipeline(["add"]);
  expect(brought.code, brought.err).toBe(0);
  expect(steady(brought.err)).toMatchInlineSnapshot(`
    "wrote assets/e5/config.json
    wrote assets/e5/model.onnx
    wrote assets/e5/sentence_bert_config.json
    wrote assets/e5/tokenizer.json
    wrote assets/e5/tokenizer_config.json
    restored 5 of 5 files; the rest already existed
    "
  `);
  for (const file of ["model.onnx", "tokenizer.json", "config.json"])
    expect(second.read(`assets/e5/${file}`)).toBe(first.read(`assets/e5/${file}`));
  rmSync(second.path("assets/e5/config.json"));
  server.seen.length = 0;
  expect((await second.pipeline(["add", "--dry-run"])).out).toBe("assets/e5/config.json  hf:intfloat/e5\n");
  const again = await second.pipeline(["add"], { HF_HUB_OFFLINE: "1" });
  expect(again.err).toContain("restored 1 of 5 files; the rest already existed\n");
  expect((await second.pipeline(["add"])).err).toBe("up to date: 5 files of e5\n");
  expect(server.seen).toEqual([]);
});

test("--dry-run writes nothing", async () => {
  const server = await startHub({ "intfloat/e5": e5Repository });
  const project = addProject(server);
  const { code, out, err } = await project.pipeline(["add", "hf:intfloat/e5", "--dry-run", "--file", "O4"]);
  expect(code).toBe(0);
  expect(out).toMatchInlineSnapshot(`
    "assets/e5/model_O4.onnx  onnx/model_O4.onnx (418 B)
    assets/e5/tokenizer.json  onnx/tokenizer.json (466 kB)
    assets/e5/tokenizer_config.json  onnx/tokenizer_config.json (24 B)
    assets/e5/config.json  onnx/config.json (75 B)
    assets/e5/sentence_bert_config.json  sentence_bert_config.json (22 B)
    models/e5.ts  the model's inputs and outputs
    "
  `);
  expect(steady(err)).toMatchInlineSnapshot(`
    "hf:intfloat/e5@<commit>: onnx/model_O4.onnx (418 B); --file picks another: onnx/model.onnx (418 B), onnx/model_qint8_avx512.onnx (418 B)
    nothing was written; 467 kB would be downloaded
    "
  `);
  expect(
    [".gitignore", "pipeline.lock.json", "models/e5.ts", "assets/e5"].filter((path) =>
      existsSync(project.path(path)),
    ),
  ).toEqual([]);
  expect(server.seen.filter(({ path }) => path.includes("/resolve/"))).toEqual([]);
});

test("--file selects by path, by name, or by the end of the name", async () => {
  const server = await startHub({ "intfloat/e5": e5Repository });
  const project = addProject(server);
  const picked = await project.pipeline([
    "add",
    "hf:intfloat/e5",
    "--file",
    "qint8_avx512",
    "--name",
    "e5-int8",
  ]);
  expect(picked.code, picked.err).toBe(0);
  expect(project.read("models/e5-int8.ts")).toContain('file: "assets/e5-int8/model_qint8_avx512.onnx"');
  expect(picked.out).toContain('import { e5Int8 as modelFile } from "./models/e5-int8.ts";');
  const wrong = await project.pipeline(["add", "hf:intfloat/e5", "--file", "fp16"]);
  expect(steady(wrong.err)).toMatchInlineSnapshot(`
    "error[usage/invalid]: --file is fp16, but hf:intfloat/e5@<commit> has no such ONNX file; it has
        onnx/model.onnx (418 B)
        onnx/model_O4.onnx (418 B)
        onnx/model_qint8_avx512.onnx (418 B)
      = help: give the full path of one: --file onnx/model.onnx
    "
  `);
});

test("a folder of the project that cannot be written is reported", async () => {
  const server = await startHub({ "intfloat/e5": e5Repository });
  const { code, err } = await addProject(server, { models: "a file" }).pipeline(["add", "hf:intfloat/e5"]);
  expect(code).toBe(2);
  expect(err).toContain(
    "error[file/not-writable]: cannot write to models/e5.ts: it is a file, not a folder (EEXIST)",
  );
});

test("weights in a separate file are downloaded too", async () => {
  const { model, data } = withExternalData(encoderModel(), "model.onnx_data");
  const server = await startHub({
    "intfloat/e5": {
      ...e5Repository,
      files: { ...e5Repository.files, "onnx/model.onnx": model, "onnx/model.onnx_data": data },
    },
  });
  const project = addProject(server);
  const { code, out, err } = await project.pipeline(["add", "hf:intfloat/e5"]);
  expect(code, err).toBe(0);
  expect(readFileSync(project.path("assets/e5/model.onnx_data")).equals(data)).toBe(true);
  await buildPasted(project, out);
  expect(existsSync(project.path("build/model_repository/e5-model/1/model.onnx_data"))).toBe(true);
});

test.each([
  ["that the repository lacks", "model.onnx_data"],
  ["outside the folder", "../../secret"],
])("weights %s are refused, and nothing is written", async (_, location) => {
  const { model } = withExternalData(encoderModel(), location);
  const server = await startHub({ "a/b": { files: { "model.onnx": model } } });
  const project = addProject(server);
  const { code, err } = await project.pipeline(["add", "hf:a/b"]);
  expect({ code, lock: project.read("pipeline.lock.json"), module: project.read("models/b.ts") }).toEqual({
    code: 2,
  });
  expect(err).toContain(
    location.startsWith("..")
      ? "error[model-file/weights-outside]: model.onnx needs its weights from `../../secret`, outside its folder"
      : "error[model-file/weights-missing]: model.onnx has its weights in model.onnx_data, which hf:a/b@",
  );
});

test("if there is no ONNX file, the message says how to export one", async () => {
  const server = await startHub({
    "intfloat/e5": { task: "sentence-similarity", files: { "config.json": "{}", "model.safetensors": "x" } },
  });
  const project = addProject(server);
  const plain = await project.pipeline(["add", "hf:intfloat/e5"]);
  expect(plain.code).toBe(2);
  expect(steady(plain.err)).toMatchInlineSnapshot(`
    "error[model-file/none]: hf:intfloat/e5@<commit> has no ONNX file
      = help: export one (pip install "optimum-onnx[onnxruntime]"), then add it:
        optimum-cli export onnx --model intfloat/e5 --task feature-extraction exports/e5/
        pipeline add exports/e5
    "
  `);
  const pinned = await project.pipeline(["add", "hf:intfloat/e5@refs/pr/1"]);
  expect(steady(pinned.err)).toMatchInlineSnapshot(`
    "error[model-file/none]: hf:intfloat/e5@<commit> has no ONNX file
      = help: export one (pip install "optimum-onnx[onnxruntime]"), then add it:
        hf download intfloat/e5 --revision <commit> --local-dir checkouts/e5 && optimum-cli export onnx --model checkouts/e5 --task feature-extraction exports/e5/
        pipeline add exports/e5
    "
  `);
});

const doublingPython = `import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceResponse(
                output_tensors=[
                    pb_utils.Tensor("y", 2 * pb_utils.get_input_tensor_by_name(request, "x").as_numpy())
                ]
            )
            for request in requests
        ]
`;

test("for a model of another backend, the message names the step that serves it", async () => {
  const config = 'backend: "python"\nmax_batch_size: 8\n';
  const project = addProject(undefined, {
    "repository/rerank/config.pbtxt": config,
    "repository/rerank/1/model.py": doublingPython,
    "repository/scores/1/model.pt": "x",
    "exports/score.pt": "x",
  });
  const { code, err } = await project.pipeline(["add", "repository/rerank"]);
  expect(code).toBe(2);
  expect(err).toMatchInlineSnapshot(`
    "error[model-file/none]: repository/rerank has no ONNX file
      = help: serve its 1/model.py with a step: python({ name: "rerank", folder: "repository/rerank/1", inputs: { … }, outputs: { … } })
    "
  `);
  const ofFile = async (file: string): Promise<string> => (await project.pipeline(["add", file])).err;
  expect(await ofFile("repository/rerank/1/model.py")).toBe(
    err.replace(
      "none]: repository/rerank has no ONNX file",
      "not-onnx]: repository/rerank/1/model.py is neither a folder nor an ONNX file",
    ),
  );
  expect(await ofFile("repository/rerank/1")).toContain(
    'python({ name: "rerank", folder: "repository/rerank/1", ',
  );
  expect(await ofFile("repository/scores/1/model.pt")).toContain(
    'torchscript({ name: "scores", file: "repository/scores/1/model.pt", ',
  );
  expect(await ofFile("exports/score.pt")).toContain(
    'serve its score.pt with a step: torchscript({ name: "score", file: "exports/score.pt", ',
  );
  const step = /python\(.*\)/.exec(err)?.[0].replaceAll("{ … }", '{ x: fp32("batch", 4) }') ?? "";
  expect((await project.pipeline(["add", "repository/scores"])).err).toContain(
    'with a step: torchscript({ name: "scores", file: "repository/scores/1/model.pt", ',
  );
  await buildPasted(
    project,
    `import { defineEnsemble, fp32, python } from "tritype";
const rerank = ${step.replace("outputs: { x:", "outputs: { y:")};
export const reranked = defineEnsemble({
  name: "reranked",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => rerank({ x }),
});
`,
  );
});

test("a user's files are not overwritten, except with --force", async () => {
  const server = await startHub({ "intfloat/e5": e5Repository });
  const project = addProject(server, {
    "assets/e5/config.json": "mine",
    "models/e5.ts": "export const e5 = 1;\n",
  });
  const { code, err } = await project.pipeline(["add", "hf:intfloat/e5"]);
  expect(code).toBe(2);
  expect(steady(err)).toMatchInlineSnapshot(`
    "hf:intfloat/e5@<commit>: onnx/model.onnx (418 B); --file picks another: onnx/model_O4.onnx (418 B), onnx/model_qint8_avx512.onnx (418 B)
    error[add/would-overwrite]: \`assets/e5/config.json\`, \`models/e5.ts\` would be overwritten, but \`pipeline add\` did not write them; nothing was written
      = help: move it away, choose another --name, or overwrite it with --force
    "
  `);
  expect(project.read("assets/e5/config.json")).toBe("mine");
  expect(existsSync(project.path("assets/e5/model.onnx"))).toBe(false);
  expect((await project.pipeline(["add", "hf:intfloat/e5", "--force"])).code).toBe(0);
  expect(project.read("assets/e5/config.json")).toContain("xlm-roberta");
});

test("adding it again keeps a folder in the place of a file that the model no longer has", async () => {
  const project = addProject(await startHub({ "intfloat/e5": e5Repository }));
  await project.pipeline(["add", "hf:intfloat/e5"]);
  rmSync(project.path("assets/e5/model.onnx"));
  mkdirSync(project.path("assets/e5/model.onnx"));
  const { code, err } = await project.pipeline(["add", "hf:intfloat/e5", "--file", "O4"]);
  expect(code, err).toBe(0);
  expect(project.read("pipeline.lock.json")).toContain("model_O4.onnx");
});

test("adding it again replaces the files added before, and keeps those that were modified", async () => {
  const server = await startHub({ "intfloat/e5": e5Repository });
  const project = addProject(server);
  await project.pipeline(["add", "hf:intfloat/e5"]);
  const again = await project.pipeline(["add", "hf:intfloat/e5", "--file", "O4"]);
  expect(again.code, again.err).toBe(0);
  expect(again.err).toContain("deleted assets/e5/model.onnx, which the model no longer has");
  expect(existsSync(project.path("assets/e5/model.onnx"))).toBe(false);
  expect(project.read("models/e5.ts")).toContain('fp32("batch", "seq", 4)');
  project.write("assets/e5/config.json", "changed");
  const changed = await project.pipeline(["add", "hf:intfloat/e5"]);
  expect(changed.err).toContain("error[add/would-overwrite]: `assets/e5/config.json` would be overwritten");
  const restored = await project.pipeline(["add"]);
  expect(restored.err).toContain("error[add/would-overwrite]: `assets/e5/config.json` would be overwritten");
  server.repositories["other/e5"] = e5Repository;
  const other = await project.pipeline(["add", "hf:other/e5"]);
  expect(other.err).toContain(
    "error[usage/invalid]: the project already has a model e5, from hf:intfloat/e5",
  );
});

test("two models that are added at the same time are both locked", async () => {
  const server = await startHub({ "a/slow": e5Repository, "a/fast": e5Repository });
  const project = addProject(server);
  const others: Promise<unknown>[] = [];
  server.fault = ({ path }) => {
    // The slow model has read the lock file, and is being downloaded.
    if (path.startsWith("/a/slow/resolve/") && others.length === 0)
      others.push(project.pipeline(["add", "hf:a/fast"]));
    return undefined;
  };
  const slow = project.pipeline(["add", "hf:a/slow"]);
  await expect.poll(() => others.length).toBe(1);
  expect(await Promise.all([slow, ...others])).toMatchObject([{ code: 0 }, { code: 0 }]);
  const { models } = JSON.parse(project.read("pipeline.lock.json") ?? "") as { readonly models: object };
  expect(Object.keys(models)).toEqual(["fast", "slow"]);
});

test("a folder elsewhere is copied; one inside the project stays where it is", async () => {
  const files = Object.fromEntries(
    Object.entries(e5Repository.files).map(([path, content]) => [`exports/e5/${path}`, content]),
  );
  const elsewhere = addProject(undefined, files);
  const project = addProject(undefined);
  const planned = await project.pipeline(["add", elsewhere.path("exports/e5"), "--dry-run"]);
  expect(planned.err).toMatch(/^nothing was written; \d+ kB would be copied$/m);
  const copied = await project.pipeline(["add", elsewhere.path("exports/e5")]);
  expect(copied.code, copied.err).toBe(0);
  expect(copied.err).toContain("wrote pipeline.lock.json: `pipeline add` expects the same bytes on another");
  expect(readFileSync(project.path("assets/e5/model.onnx")).equals(encoderModel())).toBe(true);
  expect(project.read(".gitignore")).toBeUndefined();
  expect((await project.pipeline(["add"])).err).toBe("up to date: 5 files of e5\n");
  rmSync(project.path("assets/e5/model.onnx"));
  writeFileSync(join(elsewhere.path("exports/e5"), "onnx/model.onnx"), "another");
  expect((await project.pipeline(["add"])).err).toContain("has changed since it was added");

  const stays = await elsewhere.pipeline(["add", "exports/e5", "--dry-run"]);
  expect(stays.err).toMatch(/^nothing was written$/m);
  const inside = await elsewhere.pipeline(["add", "exports/e5", "--file", "onnx/model_O4.onnx"]);
  expect(inside.code, inside.err).toBe(0);
  expect(inside.err).not.toContain("pipeline.lock.json");
  expect(elsewhere.read("models/e5.ts")).toContain('file: "exports/e5/onnx/model_O4.onnx"');
  await buildPasted(elsewhere, inside.out);
});

test("a file of a model repository has the name of its model, not of the version", async () => {
  const project = addProject(undefined, { "models/encoder/1/model.onnx": encoderModel() });
  const { code, out, err } = await project.pipeline(["add", "models/encoder/1/model.onnx"]);
  expect(code, err).toBe(0);
  expect(out).toContain('import { encoder as modelFile } from "./models/encoder.ts";');
});

test("a single file is added", async () => {
  const project = addProject(undefined, { "exports/classifier.onnx": encoderModel({ segments: true }) });
  const { code, out, err } = await project.pipeline(["add", "exports/classifier.onnx"]);
  expect(code, err).toBe(0);
  expect(out).toMatchInlineSnapshot(`
    "import { defineEnsemble, onnx } from "tritype";
    import { classifier as modelFile } from "./models/classifier.ts";

    const model = onnx({
      name: "classifier-model",
      ...modelFile,
    });

    export const classifier = defineEnsemble({
      name: "classifier",
      maxBatchSize: 32,
      inputs: modelFile.inputs,
      run: (inputs) => model(inputs),
    });
    "
  `);
  expect(steady(err)).toMatchInlineSnapshot(`
    "exports/classifier.onnx: classifier.onnx (498 B)
    wrote models/classifier.ts
    note: exports/classifier.onnx has no tokenizer.json, which the tokenizer step needs; Python's transformers can create one from the other files:
      python -c "from transformers import AutoTokenizer as T; T.from_pretrained('…').save_pretrained('assets/tokenizer')"
    steps that serve it, for pipeline.ts:
    "
  `);
  await buildPasted(project, out);
});

test.each([
  [
    ["add"],
    "which model? There is no pipeline.lock.json to read models from",
    "pipeline add hf:owner/name, a folder, or model.onnx",
  ],
  [["add", "--name", "x"], "--name needs a model", "pipeline add hf:owner/name --name …"],
  [["add", "intfloat/e5"], "intfloat/e5 does not exist", "write hf:intfloat/e5"],
  [["add", "https://huggingface.co/intfloat/e5/tree/v2"], "is a web page", "write hf:intfloat/e5@v2"],
  [["add", "hf:../x"], "hf:../x is not a repository on the Hugging Face Hub", "write hf:owner/name"],
  [["add", "hf:a/b@../x"], "`../x` is not a valid revision", "hf:owner/name@main"],
  [["add", "hf:a/b@v1", "--revision", "v2"], "and --revision name different revisions", "remove one of them"],
  [
    ["add", "models", "--revision", "v2"],
    "--revision is v2, but models is not a repository of the hub",
    "leave it out",
  ],
  [
    ["add", "pipeline.config.ts"],
    "pipeline.config.ts is neither a folder nor an ONNX file",
    "name an .onnx file",
  ],
  [
    ["add", "assets"],
    "assets has no ONNX file",
    "optimum-cli export onnx --model assets --task auto exports/assets/",
  ],
  [
    ["add", "my models"],
    "my models has no ONNX file",
    "--model 'my models' --task auto 'exports/my models/'\n    pipeline add 'exports/my models'",
  ],
  [["add", "hf:a/b", "a"], "does not accept `a`", "see `pipeline add --help`"],
])("%j is refused", async (args, message, help) => {
  const project = addProject(undefined, { "models/readme.txt": "x", "my models/readme.txt": "x" });
  const { code, out, err } = await project.pipeline(args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(message);
  expect(err).toContain(help);
});

test.each([
  ["--name", "../x", "--name is ../x"],
  ["--name", "a/b", "--name is a/b"],
  ["--name", ".x", "--name is .x"],
])("%s %s is refused", async (option, value, message) => {
  const server = await startHub({ "intfloat/e5": e5Repository });
  const { code, err } = await addProject(server).pipeline(["add", "hf:intfloat/e5", option, value]);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("a lock file that is broken, newer, or leads outside is refused", async () => {
  const file = { from: "model.onnx", size: 1, sha256: "0".repeat(64) };
  const lockOf = (path: string) => ({
    formatVersion: 1,
    models: { m: { source: "../m", files: { [path]: file } } },
  });
  const errorOf = async (text: string) =>
    (await addProject(undefined, { "pipeline.lock.json": text }).pipeline(["add"])).err;
  expect(await errorOf("<<<<<<< HEAD")).toContain(
    "error[lock/not-readable]: pipeline.lock.json cannot be read",
  );
  expect(await errorOf('{ "formatVersion": 2 }')).toContain(
    "pipeline.lock.json has format 2; this tritype reads format 1",
  );
  expect(await errorOf(JSON.stringify(lockOf("../x")))).toContain(
    "pipeline.lock.json cannot be read: `models.m.files",
  );
  expect(await errorOf(JSON.stringify(lockOf("assets/m/model.onnx")))).toContain("is not on this machine");
});

test("a scalar is refused before anything is written; a size that prevents batching is reported", async () => {
  const model = (outputs: Readonly<Record<string, readonly Dim[]>>): Uint8Array =>
    buildModel(
      {
        name: "classify",
        inputs: [{ name: "x", type: { dtype: "FP32", dims: ["rows", 4] } }],
        outputs: Object.entries(outputs).map(([name, dims]) => ({ name, type: { dtype: "INT64", dims } })),
      },
      (builder) =>
        Object.fromEntries(
          Object.keys(outputs).map((name) => [
            name,
            builder.node("ArgMax", ["x"], { axis: { int: 1 }, keepdims: { int: 0 } })[0],
          ]),
        ),
    );
  const project = addProject(undefined, {
    "exports/scalar.onnx": model({ rate: [] }),
    "exports/label.onnx": model({ label: [1], best: ["rows"] }),
  });
  const scalar = await project.pipeline(["add", "exports/scalar.onnx"]);
  expect(scalar.code).not.toBe(0);
  expect(scalar.err).toContain("`rate` is a scalar, which Triton does not support");
  expect(project.read("models/scalar.ts")).toBeUndefined();
  const label = await project.pipeline(["add", "exports/label.onnx"]);
  expect(label.code, label.err).toBe(0);
  expect(label.err).toContain(
    "note: requests cannot run together: the file fixes the first size of `label` INT64[1], but leaves that of other tensors open",
  );
  await buildPasted(project, label.out);
});

test("a build reports a file that has changed since it was added", async () => {
  const server = await startHub({ "intfloat/multilingual-e5-small": e5Repository });
  const project = addProject(server);
  const { out } = await project.pipeline(["add", "hf:intfloat/multilingual-e5-small"]);
  await buildPasted(project, out);
  const path = "assets/multilingual-e5-small/tokenizer.json";
  project.write(path, (project.read(path) ?? "").replace("{", "["));
  const { code, err } = await project.pipeline(["build"]);
  expect(code).toBe(1);
  expect(err).toContain(
    `${path} changed after \`pipeline add\`: its SHA-256 differs from pipeline.lock.json`,
  );
  expect(err).toContain("`pipeline add --force` restores every file");
});

test("a build says that it contains different files from the lock, as after `git pull`", async () => {
  const server = await startHub({ "intfloat/multilingual-e5-small": e5Repository });
  const project = addProject(server);
  const { out } = await project.pipeline(["add", "hf:intfloat/multilingual-e5-small"]);
  await buildPasted(project, out);
  const lock = project.read("pipeline.lock.json") ?? "";
  const model = hex("sha256", e5Repository.files["onnx/model.onnx"] ?? "");
  expect(lock).toContain(model);
  const built = async () => (await project.pipeline(["build"])).err;
  expect(await built()).not.toContain("pipeline.lock.json");
  project.write("pipeline.lock.json", lock.replace(model, "0".repeat(64)));
  expect(await built()).toContain(
    "the build contains `assets/multilingual-e5-small/model.onnx`, which pipeline.lock.json lists with other bytes: if you did not change it, for example after `git pull`, run `pipeline add --force`\n",
  );
  project.write("pipeline.lock.json", "<<<<<<<");
  expect(await built()).not.toContain("the build contains");
});

test("the output of ZipMap is refused, and the help names the option that omits it", async () => {
  const { graph = {}, ...rest } = decodeModel(encoderModel());
  const zipped = encodeModel({
    ...rest,
    graph: {
      ...graph,
      node: [{ opType: "ZipMap", domain: "ai.onnx.ml", output: ["output_probability"] }],
      output: [{ name: "output_probability", type: { sequenceType: {} } }],
    },
  });
  const project = addProject(undefined, { "exports/zipped.onnx": zipped });
  const { code, err } = await project.pipeline(["add", "exports/zipped.onnx"]);
  expect(code).not.toBe(0);
  expect(err).toContain("`output_probability` is a sequence, which Triton does not support");
  expect(err).toContain('export with `options={id(model): {"zipmap": False}}`, or remove the node');
});
