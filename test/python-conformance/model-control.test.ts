import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { type HttpServer, serveHttp } from "@tritype/server";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  installJudge,
  installTime,
  killTriton,
  type TemporaryFolder,
  temporaryFolder,
} from "../triton/judge.ts";
import { sendRaw } from "../triton/raw-request.ts";
import { writeConformanceModels } from "./conformance-models.ts";

/**
 * One action on a server: a request to a model, with an element of X; a load or an unload over HTTP; or a request for
 * the index.
 */
type Step =
  | { readonly kind: "ask"; readonly model: string; readonly text: string }
  | { readonly kind: "control"; readonly action: "load" | "unload"; readonly model: string }
  | { readonly kind: "index" };

/** Python that the model `driver` evaluates, one expression per request. */
const evaluate = (...expressions: readonly string[]): readonly Step[] =>
  expressions.map((text) => ({ kind: "ask", model: "driver", text }));
const ask = (model: string): Step => ({ kind: "ask", model, text: "" });
const load = (model: string): Step => ({ kind: "control", action: "load", model });
const unload = (model: string): Step => ({ kind: "control", action: "unload", model });
const index: Step = { kind: "index" };

/**
 * The sequences run in order, on the same two servers. Refused actions are left out and are tested in
 * `python-model-control.test.ts` of the runtime: the real server 24.10 mostly crashes when it has to report a refusal
 * to a model ("boost::interprocess::lock_exception").
 */
const sequences: Readonly<Record<string, readonly Step[]>> = {
  "loads and unloads": [
    ...evaluate("is_model_ready('constant')", "load_model('constant')", "is_model_ready('constant')"),
    ask("constant"),
    index,
    ...evaluate("unload_model('constant')", "is_model_ready('constant')", "unload_model('constant')"),
    ask("constant"),
    index,
    ...evaluate("unload_model('nobody')"),
  ],
  "versions that are ready": evaluate(
    ...["", "1", "2", "0", "01", " 1", "1x", "+1"].map((version) => `is_model_ready('driver', '${version}')`),
    "is_model_ready('')",
    "is_model_ready(model_name='driver', model_version='1')",
  ),
  "a configuration in place of the file's": [
    ...evaluate("load_model('constant', config)", "load_model(model_name='constant', config='')"),
    ask("constant"),
    ...evaluate("unload_model('constant')"),
  ],
  "files in place of the folder": [
    ...evaluate("load_model('made', config=config, files={'file:1/model.py': saying('made')})"),
    ask("made"),
    ...evaluate(
      "load_model('other', config, {'1/model.py': saying('no prefix')})",
      "load_model('other', config, {'config': b'x', 'more': b'x'})",
    ),
    ask("other"),
    ...evaluate("load_model('large', config, {'file:1/model.py': saying('large') + b'#' * 20_000_000})"),
    ask("large"),
    ...evaluate(
      "unload_model('made')",
      "unload_model('large')",
      "unload_model('other')",
      "load_model('other', files={})",
    ),
    index,
  ],
  "an ensemble and its members": evaluate(
    "load_model('chain')",
    "is_model_ready('chain')",
    "is_model_ready('constant')",
    "unload_model('constant')",
    "is_model_ready('chain')",
    "load_model('constant')",
    "is_model_ready('chain')",
    "unload_model('chain', True)",
    "is_model_ready('constant')",
    "unload_model('constant', unload_dependents=False)",
  ),
  "arguments that are wrong": evaluate(
    "load_model(1)",
    "load_model('constant', None)",
    "load_model('constant', 1, {})",
    "load_model('constant', files=[1])",
    "load_model('constant', config, {1: b'x'})",
    "load_model('constant', config, {'file:1/model.py': 'x'})",
    "load_model('constant', config, {'file:1/model.py': None})",
    "unload_model(1)",
    "unload_model('constant', 'x')",
    "is_model_ready(1)",
    "is_model_ready('constant', 1)",
  ),
  "a model that asks while it is loaded": [
    ...evaluate("unload_model('other')", "load_model('asks_at_start')"),
    ask("asks_at_start"),
    load("loads_at_start"),
    ask("loads_at_start"),
    ask("other"),
    ...evaluate("load_model('unloads_at_start')"),
    ask("unloads_at_start"),
    ...evaluate("is_model_ready('other')"),
    index,
  ],
  "a model that loads when it ends": [
    ...evaluate("unload_model('other')"),
    load("loads_at_end"),
    unload("loads_at_end"),
    index,
    ...evaluate("is_model_ready('other')"),
  ],
  "its own model": [
    ...evaluate("load_model('driver')", "is_model_ready('driver')", "unload_model('driver')"),
    ask("driver"),
    index,
  ],
};

let folder: TemporaryFolder;
let triton: TritonServer;
let local: Runtime;
let http: HttpServer;
beforeAll(async () => {
  folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  await writeConformanceModels(fileURLToPath(new URL("control-models", import.meta.url)), repository);
  const installation = await installJudge();
  [triton, local] = await Promise.all([
    serveTriton(installation, {
      repository,
      strict: false,
      extraArguments: ["--model-control-mode=explicit", "--load-model=driver"],
    }),
    startRuntime({
      repository,
      control: { kind: "explicit", load: ["driver"] },
      device: "cpu",
      python: "always",
      notice: () => {},
      pythonCommand: installation.python,
    }),
  ]);
  http = await serveHttp(local, { port: 0 });
}, installTime);
afterAll(async () => {
  await Promise.all([http?.close(), triton && killTriton(triton)]);
  await local?.close();
  await folder.remove();
});

const say = async (url: string, step: Step): Promise<unknown> => {
  if (step.kind === "index") return settledIndex(url);
  const [path, body] =
    step.kind === "control"
      ? [`/v2/repository/models/${step.model}/${step.action}`, {}]
      : [`/v2/models/${step.model}/infer`, { inputs: [textInput(step.text)] }];
  const reply = await sendRaw(url, { path, body: JSON.stringify(body) });
  return `${reply.status} ${reply.body.toString()}`;
};

const textInput = (text: string): object => ({ name: "X", datatype: "BYTES", shape: [1], data: [text] });

/** The index, once nothing is loading or unloading any more. */
const settledIndex = async (url: string): Promise<unknown> => {
  for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
    const { body } = await sendRaw(url, { path: "/v2/repository/index", body: "{}" });
    const text = body.toString();
    if (!/"(?:UN)?LOADING"/.test(text) || Date.now() > deadline) return JSON.parse(text);
  }
};

const transcript = async (url: string, steps: readonly Step[]): Promise<readonly unknown[]> => {
  const lines: unknown[] = [];
  for (const step of steps) lines.push([step, await say(url, step)]);
  return lines;
};

test.each(Object.entries(sequences))("%s", { timeout: 60_000 }, async (_, steps) => {
  const [wanted, got] = await Promise.all([transcript(triton.httpUrl, steps), transcript(http.url, steps)]);
  expect(got).toEqual(wanted);
});
