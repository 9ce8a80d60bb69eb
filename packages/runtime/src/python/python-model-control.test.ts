import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tensorOf, valuesOf } from "@tritype/core";
import { expect, test } from "vitest";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import { infer, served } from "../fixtures/served.ts";
import type { Files } from "../fixtures/temporary-repository.ts";
import type { Runtime } from "../runtime.ts";
import type { RuntimeOptions } from "../service.ts";

const ports = `input [ { name: "X" data_type: TYPE_STRING dims: [ -1 ] } ]
output [ { name: "Y" data_type: TYPE_STRING dims: [ -1 ] } ]
`;
const config = `backend: "python"\n${ports}`;

/** Responds with the value of X, a Python expression; `methods` are added to the model. */
const driver = (methods = ""): string => `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
${methods}
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        call = request.inputs()[0].as_numpy()[0].decode()
        try:
            answer = repr(eval(call, dict(vars(pb_utils))))
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([answer], dtype=object))])
`;
const raising = `
    def initialize(self, args):
        raise ValueError("poisoned")
`;
const model = (name: string, methods = ""): Files => ({
  [`${name}/config.pbtxt`]: config,
  [`${name}/1/model.py`]: driver(methods),
});

const serve = async (
  files: Files,
  control: RuntimeOptions["control"] = { kind: "explicit", load: ["driver"] },
): Promise<Runtime> =>
  served({ ...model("driver"), ...files }, { control, pythonCommand: await pythonWithNumpy() });

const evaluate = async (runtime: Runtime, expression: string): Promise<string> => {
  const { outputs } = await infer(runtime, "driver", { X: tensorOf("BYTES", [1], [expression]) });
  return String(valuesOf(outputs.get("Y") as Parameters<typeof valuesOf>[0])[0]);
};
const answers = async (runtime: Runtime, ...expressions: readonly string[]): Promise<readonly string[]> => {
  const said: string[] = [];
  for (const expression of expressions) said.push(await evaluate(runtime, expression));
  return said;
};
const refused = (verb: string, text: string): string =>
  `TritonModelException: Failed to ${verb}: Failed to process the request for model 'driver_0', message: ${text}`;

test("a model that tries to load another gets Triton's message if that fails", async () => {
  const runtime = await serve(model("poisoned", raising));
  const [poisoned, ...others] = await answers(
    runtime,
    "load_model('poisoned')",
    "load_model('nobody')",
    "load_model('driver', '{')",
    "load_model('driver', files={'file:1/model.py': b''})",
    "load_model('made', '{}', {'file:../model.py': b''})",
    "load_model('../driver')",
    "is_model_ready('poisoned')",
  );
  expect(poisoned).toMatch(
    /^TritonModelException: Failed to load model: Failed to process the request for model 'driver_0', message: load failed for model 'poisoned': version 1 is at UNAVAILABLE state: Internal: ValueError: poisoned\n\nAt:\n {2}\S+model\.py\(9\): initialize\n;\n$/,
  );
  const polled = (name: string): string =>
    refused("load model", `failed to load '${name}', failed to poll from model repository`);
  expect(others).toEqual([
    polled("nobody"),
    polled("driver"),
    polled("driver"),
    polled("made"),
    refused(
      "load model",
      "invalid model name '../driver', model name must not contain path traversal characters",
    ),
    "False",
  ]);
});

test("a version that is not a number is refused", async () => {
  const runtime = await serve({});
  const texts = ["x", "-1", "9223372036854775808", "ü"];
  const said = await answers(runtime, ...texts.map((text) => `is_model_ready('driver', '${text}')`));
  expect(said).toEqual(
    texts.map((text) =>
      refused(
        "check model readiness",
        `failed to get model version from specified version string '${text}', version should be an integral value > 0`,
      ),
    ),
  );
});

test("without explicit control, models cannot load other models either", async () => {
  const runtime = await serve(model("other"), "repository");
  const text = "explicit model load / unload is not allowed if polling is enabled";
  expect(await answers(runtime, "load_model('other')", "unload_model('other')")).toEqual([
    refused("load model", text),
    refused("unload model", text),
  ]);
  expect(runtime.modelReady("other")).toBe(true);
});

test("a load may contain several files whose total size exceeds the maximum size of a message head", async () => {
  const runtime = await serve({});
  const source = JSON.stringify(driver());
  const json = JSON.stringify({
    backend: "python",
    input: [{ name: "X", data_type: "TYPE_STRING", dims: [-1] }],
    output: [{ name: "Y", data_type: "TYPE_STRING", dims: [-1] }],
  });
  const files = `{'file:1/model.py': ${source}.encode(), 'file:1/data': b'#' * 20_000_001, 'file:2/model.py': ${source}.encode()}`;
  expect(
    await answers(runtime, `load_model('made', '${json}', ${files})`, "is_model_ready('made', '2')"),
  ).toEqual(["None", "True"]);
  expect((await infer(runtime, "made", { X: tensorOf("BYTES", [1], ["1"]) })).version).toBe("2");
});

test("a model that requests its own load while it is loading does not wait for itself", async () => {
  const loads = (name: string): string => `
    def initialize(self, args):
        pb_utils.load_model("${name}")
`;
  const completes = `
    @staticmethod
    def auto_complete_config(config):
        pb_utils.load_model("last")
        return config
`;
  const runtime = await serve({
    ...model("first", loads("second")),
    ...model("second", loads("completes")),
    ...model("completes", completes),
    ...model("last"),
    ...model("itself", loads("itself")),
  });
  await runtime.load("first");
  for (const name of ["first", "second", "completes", "last"]) expect(runtime.modelReady(name)).toBe(true);
  await runtime.load("itself");
  expect(runtime.modelReady("itself")).toBe(true);
});

test("a model that is being loaded cannot be loaded with other files or unloaded", async () => {
  const tells = (call: string): string => `
    def initialize(self, args):
        pb_utils.${call}
`;
  const runtime = await serve({
    ...model("again", tells(`load_model("again", '{"backend":"python"}')`)),
    ...model("away", tells(`unload_model("away")`)),
  });
  for (const name of ["again", "away"]) {
    await expect(runtime.load(name)).rejects.toThrow(`message: model '${name}' is being loaded`);
    expect(runtime.modelReady(name)).toBe(false);
  }
});

test("a refused load leaves no files on disk", async () => {
  const overrides = (): readonly string[] =>
    readdirSync(tmpdir()).filter(
      (name) => name.startsWith("tritype-override-") && existsSync(join(tmpdir(), name, "refused")),
    );
  const files = `{'file:1/model.py': b'', 'file:refused': b''}`;
  const runtime = await serve(
    model(
      "again",
      `
    def initialize(self, args):
        pb_utils.load_model("again", '{"backend":"python"}', ${files})
`,
    ),
  );
  await expect(runtime.load("again")).rejects.toThrow("message: model 'again' is being loaded");
  expect(overrides()).toEqual([]);
});

test("an ensemble runs the member that was loaded while it was being composed", async () => {
  const chain = `platform: "ensemble"
${ports}ensemble_scheduling { step [ {
  model_name: "member" model_version: -1
  input_map { key: "X" value: "X" } output_map { key: "Y" value: "Y" }
} ] }`;
  const reloads = `
    def initialize(self, args):
        pb_utils.load_model("member")
`;
  const runtime = await serve({
    ...model("member"),
    ...model("reloads", reloads),
    "chain/config.pbtxt": chain,
    "chain/1/": "",
  });
  await runtime.load("chain");
  await runtime.unload("member");
  expect(runtime.modelReady("chain")).toBe(false);
  await runtime.load("reloads");
  expect(runtime.modelReady("chain")).toBe(true);
  const { outputs } = await infer(runtime, "chain", { X: tensorOf("BYTES", [1], ["40 + 2"]) });
  expect(String(valuesOf(outputs.get("Y") as Parameters<typeof valuesOf>[0])[0])).toBe("42");
});

test("many simultaneous requests to load the same model load it once", async () => {
  const runtime = await serve(model("other"));
  const said = await Promise.all(Array.from({ length: 8 }, () => evaluate(runtime, "load_model('other')")));
  expect(said).toEqual(Array.from({ length: 8 }, () => "None"));
  expect(runtime.modelReady("other")).toBe(true);
});
