import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Files } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import type { PublishedRun } from "./run-published.ts";
import { identityModel, standIns } from "./stand-ins.ts";

export type Models = PublishedRun["models"];

/** Several sets of models in one repository. */
export const all =
  (...sets: readonly Models[]): Models =>
  async (qa) =>
    Object.assign({}, ...(await Promise.all(sets.map((set) => set(qa))))) as Files;

/** All but some models, which need packages or backends that no test has. */
export const without =
  (models: Models, ...names: readonly string[]): Models =>
  async (qa) =>
    Object.fromEntries(
      Object.entries(await models(qa)).filter(([path]) => !names.includes(path.split("/")[0] ?? "")),
    );

/** The same models with another text in their configurations. */
export const changed =
  (models: Models, change: (config: string) => string): Models =>
  async (qa) =>
    Object.fromEntries(
      Object.entries(await models(qa)).map(([path, text]) => [
        path,
        path.endsWith("config.pbtxt") ? change(String(text)) : text,
      ]),
    );

/** The same models under another name. */
export const renamed =
  (models: Models, name: string): Models =>
  async (qa) =>
    Object.fromEntries(
      Object.entries(await models(qa)).map(([path, text]) => [
        path.replace(/^[^/]+/, name),
        path.endsWith("config.pbtxt") ? String(text).replace(/^name:.*$/m, `name: "${name}"`) : text,
      ]),
    );

/** Python instead of Triton's C++ backend `identity`, which copies its inputs to its outputs after a delay. */
export const withoutIdentityBackend =
  (models: Models): Models =>
  async (qa) => {
    const files: Record<string, string | Uint8Array> = {};
    for (const [path, text] of Object.entries(await models(qa))) {
      const config = String(text);
      const isIdentity = path.endsWith("config.pbtxt") && /^backend: "identity"$/m.test(config);
      files[path] = isIdentity ? config.replace('backend: "identity"', 'backend: "python"') : text;
      if (isIdentity) files[path.replace("config.pbtxt", "1/model.py")] = identityBackend;
      else if (/^platform: "ensemble"/m.test(config)) files[path.replace("config.pbtxt", "1/")] = "";
    }
    return files;
  };

const identityBackend = `import json
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        parameters = config.get("parameters", {})
        self.delay = int(parameters.get("execute_delay_ms", {}).get("string_value", 0)) / 1000
        self.types = {each["name"]: pb_utils.triton_string_to_numpy(each["data_type"]) for each in config["output"]}

    def execute(self, requests):
        time.sleep(self.delay)
        return [pb_utils.InferenceResponse(self.outputs(request)) for request in requests]

    def outputs(self, request):
        given = {tensor.name().replace("INPUT", "OUTPUT"): tensor.as_numpy() for tensor in request.inputs()}
        names = [name for name in self.types if name in request.requested_output_names()]
        return [pb_utils.Tensor(name, given.get(name, np.zeros((1, 1), self.types[name]))) for name in names]
`;

interface IdentityModel {
  readonly batch: number;
  readonly dtype?: string;
  readonly dims?: string;
  readonly delay?: number;
  readonly more?: string;
}

/** A model of the backend `identity`, as the authors' `test.sh` writes it. */
export const identity = (
  name: string,
  { batch, dtype = "FP32", dims = "-1", delay, more = "" }: IdentityModel,
): Models =>
  withoutIdentityBackend(async () => ({
    [`${name}/config.pbtxt`]: `name: "${name}"
backend: "identity"
max_batch_size: ${batch}
input [{ name: "INPUT0" data_type: TYPE_${dtype} dims: [ ${dims} ] }]
output [{ name: "OUTPUT0" data_type: TYPE_${dtype} dims: [ ${dims} ] }]
instance_group [{ count: 1 kind: KIND_CPU }]
${delay === undefined ? "" : `parameters { key: "execute_delay_ms" value: { string_value: "${delay}" } }`}
${more}
`,
  }));

/** The files of a folder of the checkout. */
const tree = async (folder: string, prefix = ""): Promise<Files> => {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files[`${prefix}${path.slice(folder.length + 1)}`] = await readFile(path, "utf8");
    }
  return files;
};

/** Models of a folder whose models are complete. */
export const modelsOf =
  (folder: string): Models =>
  (qa) =>
    tree(join(qa, folder));

/** A folder that is a model. */
export const one =
  (folder: string): Models =>
  (qa) =>
    tree(join(qa, folder), `${basename(folder)}/`);

/** Models of `python_models`, where `model.py` is next to the configuration. */
export const pythonModels =
  (...names: readonly string[]): Models =>
  async (qa) => {
    const all: Record<string, string | Uint8Array> = {};
    for (const name of names) {
      const files = await tree(join(qa, "python_models", name));
      for (const [path, text] of Object.entries(files))
        all[path === "config.pbtxt" ? `${name}/${path}` : `${name}/1/${path}`] = text;
    }
    return all;
  };

export const of =
  (files: () => Files): Models =>
  async () =>
    files();

export const some =
  (...names: readonly string[]): Models =>
  async () =>
    Object.fromEntries(
      Object.entries(standIns()).filter(([path]) => names.includes(path.split("/")[0] ?? "")),
    );

/** The variants of the model `response_sender` that its `test.sh` makes. */
export const responseSenders: Models = async (qa) => {
  const { "config.pbtxt": config = "", ...code } = await tree(join(qa, "python_models", "response_sender"));
  const files: Record<string, string | Uint8Array> = {};
  for (const decoupled of [false, true])
    for (const asynchronous of [false, true])
      for (const batching of [false, true]) {
        const name = `response_sender${decoupled ? "_decoupled" : ""}${asynchronous ? "_async" : ""}${batching ? "_batching" : ""}`;
        files[`${name}/config.pbtxt`] =
          `${String(config)}${decoupled ? "\nmodel_transaction_policy { decoupled: True }" : ""}${batching ? "\ndynamic_batching { max_queue_delay_microseconds: 500000 }" : ""}\n`;
        files[`${name}/1/model_common.py`] = code["model_common.py"] ?? "";
        files[`${name}/1/model.py`] = code[asynchronous ? "model_async.py" : "model.py"] ?? "";
      }
  return files;
};

export const parameterModels: Models = async (qa) => ({
  ...(await tree(join(qa, "L0_parameters/model_repository"))),
  "ensemble/1/": "",
  ...identityModel("identity", "TYPE_FP32", 0),
});
