import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";

/** The contents of a load request. */
export interface LoadParameters {
  /** JSON text, or an object to be converted. */
  readonly config?: string | object;
  /** Files by path in the model's folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** One action on a server or its repository. */
export type Step =
  | { readonly kind: "write"; readonly files: Files }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "load"; readonly model: string; readonly parameters?: LoadParameters }
  | { readonly kind: "unload"; readonly model: string; readonly dependents?: boolean }
  | { readonly kind: "index"; readonly ready?: boolean }
  | { readonly kind: "policy"; readonly model: string }
  | { readonly kind: "ask"; readonly model: string; readonly version?: string };

export const write = (...files: readonly Files[]): Step => ({
  kind: "write",
  files: Object.assign({}, ...files) as Files,
});
export const remove = (path: string): Step => ({ kind: "remove", path });
export const load = (model: string, parameters?: LoadParameters): Step =>
  parameters === undefined ? { kind: "load", model } : { kind: "load", model, parameters };
export const unload = (model: string, dependents?: boolean): Step =>
  dependents === undefined ? { kind: "unload", model } : { kind: "unload", model, dependents };
export const index: Step = { kind: "index" };
export const readyIndex: Step = { kind: "index", ready: true };
/** Reads the versions in the model's configuration. */
export const policy = (model: string): Step => ({ kind: "policy", model });
/** Requests the model's answer for 0, and the version that gave it. */
export const ask = (model: string, version?: string): Step =>
  version === undefined ? { kind: "ask", model } : { kind: "ask", model, version };

const portsOf = (input: string): string => `
input { name: "X" data_type: ${input} dims: 1 }
output { name: "Y" data_type: TYPE_FP32 dims: 1 }
`;

/**
 * Python that adds the configuration's `amount`, plus 100 for each `more`. It changes the input in place, because numpy
 * would take most of its process's processor time.
 */
export const adding = (more = 0): string => `
import ctypes
import json

import triton_python_backend_utils as pb_utils

address_in = ctypes.pythonapi.PyCapsule_GetPointer
address_in.restype = ctypes.c_void_p
address_in.argtypes = [ctypes.py_object, ctypes.c_char_p]


class TritonPythonModel:
    def initialize(self, args):
        parameters = json.loads(args["model_config"])["parameters"]
        self.amount = float(parameters["amount"]["string_value"]) + ${more * 100}

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        row = pb_utils.get_input_tensor_by_name(request, "X").to_dlpack()
        # The capsule's structure begins with the address of the data.
        data = ctypes.c_void_p.from_address(address_in(row, b"dltensor")).value
        ctypes.c_float.from_address(data).value += self.amount
        return pb_utils.InferenceResponse([pb_utils.Tensor.from_dlpack("Y", row)])
`;

/** Python that cannot start. */
export const poisoned = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        raise pb_utils.TritonModelException("poisoned")
`;

/** A model that adds `amount`, with one file for each version. */
export const model = (
  name: string,
  amount: number,
  versions: Readonly<Record<string, string>> = { 1: adding() },
  extra = "",
  input = "TYPE_FP32",
): Files => ({
  [`${name}/config.pbtxt`]: `backend: "python"${portsOf(input)}parameters { key: "amount" value { string_value: "${amount}" } }\n${extra}\n`,
  ...Object.fromEntries(
    Object.entries(versions).map(([version, python]) => [`${name}/${version}/model.py`, python]),
  ),
});

/** The same configuration as JSON. */
export const config = (amount: number, more: object = {}): object => ({
  backend: "python",
  input: [{ name: "X", data_type: "TYPE_FP32", dims: [1] }],
  output: [{ name: "Y", data_type: "TYPE_FP32", dims: [1] }],
  parameters: { amount: { string_value: String(amount) } },
  ...more,
});

/** An ensemble that runs the models one after the other. */
export const chain = (name: string, ...members: readonly string[]): Files => {
  const tensor = (step: number): string =>
    step === 0 ? "X" : step === members.length ? "Y" : `between_${step}`;
  const steps = members.map((member, step) => {
    const [called, version = "-1"] = member.split("@");
    return `step { model_name: "${called}" model_version: ${version} input_map { key: "X" value: "${tensor(step)}" } output_map { key: "Y" value: "${tensor(step + 1)}" } }\n`;
  });
  return {
    [`${name}/config.pbtxt`]: `platform: "ensemble"${portsOf("TYPE_FP32")}ensemble_scheduling {\n${steps.join("")}}\n`,
    [`${name}/1/`]: "",
  };
};

/** Sequences by name. `n` makes the names of their models unique. */
export const sequences: Readonly<Record<string, (n: (model: string) => string) => readonly Step[]>> = {
  "nothing is loaded at first": (n) => [
    write(model(n("a"), 1)),
    index,
    readyIndex,
    ask(n("a")),
    ask(n("a"), "1"),
    ask(n("b")),
  ],
  "load, again, unload, again": (n) => [
    write(model(n("a"), 1)),
    load(n("a")),
    index,
    ask(n("a")),
    load(n("a")),
    unload(n("a")),
    index,
    readyIndex,
    ask(n("a")),
    ask(n("a"), "1"),
    ask(n("a"), "2"),
    unload(n("a")),
    load(n("a")),
    index,
    ask(n("a")),
  ],
  "what is not there": (n) => [load(n("no")), unload(n("no")), index],
  "a broken configuration": (n) => [
    write({ [`${n("a")}/config.pbtxt`]: "no_field: 1", [`${n("a")}/1/model.py`]: adding() }),
    load(n("a")),
    index,
    unload(n("a")),
    write(model(n("a"), 1)),
    load(n("a")),
    ask(n("a")),
    write({ [`${n("a")}/config.pbtxt`]: "no_field: 1" }),
    load(n("a")),
    index,
    ask(n("a")),
    unload(n("a")),
    index,
  ],
  "a wrong name in the configuration": (n) => [
    write({ ...model(n("a"), 1), [`${n("a")}/config.pbtxt`]: 'name: "other" backend: "python"' }),
    load(n("a")),
    index,
  ],
  "no version": (n) => [
    write(model(n("a"), 1, {})),
    load(n("a")),
    index,
    ask(n("a")),
    load(n("a")),
    write(model(n("a"), 1)),
    load(n("a")),
    index,
  ],
  "a poisoned model, mended": (n) => [
    write(model(n("a"), 1, { 1: poisoned })),
    load(n("a")),
    index,
    readyIndex,
    ask(n("a")),
    ask(n("a"), "1"),
    load(n("a")),
    unload(n("a")),
    index,
    write(model(n("a"), 1)),
    load(n("a")),
    index,
    ask(n("a")),
  ],
  "a model that is poisoned while it serves": (n) => [
    write(model(n("a"), 1)),
    load(n("a")),
    write(model(n("a"), 1, { 1: poisoned })),
    load(n("a")),
    index,
    ask(n("a")),
    load(n("a")),
    write(model(n("a"), 2)),
    load(n("a")),
    index,
    ask(n("a")),
  ],
  "one version of two is poisoned": (n) => [
    write(model(n("a"), 1, { 1: adding(), 2: poisoned }, "version_policy { all {} }")),
    load(n("a")),
    index,
    ask(n("a")),
    write(model(n("a"), 1, { 2: adding(1) })),
    load(n("a")),
    index,
    ask(n("a")),
  ],
  "a version is poisoned while others serve": (n) => [
    write(model(n("a"), 1, { 1: adding() }, "version_policy { all {} }")),
    load(n("a")),
    write(model(n("a"), 1, { 2: poisoned }, "version_policy { all {} }")),
    load(n("a")),
    index,
    ask(n("a")),
    ask(n("a"), "2"),
  ],
  "versions come and go": (n) => [
    write(model(n("a"), 1, { 1: adding(1), 2: adding(2) })),
    load(n("a")),
    index,
    ask(n("a"), "1"),
    write(model(n("a"), 1, { 3: adding(3) })),
    load(n("a")),
    index,
    ask(n("a")),
    ask(n("a"), "2"),
    write(model(n("a"), 1, {}, "version_policy { specific { versions: [1, 2] } }")),
    load(n("a")),
    index,
    ask(n("a")),
    unload(n("a")),
    index,
  ],
  "environments that do not exist": (n) =>
    ["../none", "none/../../none", "1/../none", "../none/../1"].flatMap((path) => [
      write(
        model(
          n("a"),
          1,
          { 1: adding() },
          `parameters { key: "EXECUTION_ENV_PATH" value { string_value: "$$TRITON_MODEL_DIRECTORY/${path}" } }`,
        ),
      ),
      load(n("a")),
      index,
    ]),
  "versions beyond 2^53": (n) => {
    const [even, odd] = ["9007199254740992", "9007199254740993"] as const;
    const specific = (version: string | number): object => ({
      version_policy: { specific: { versions: [version] } },
    });
    return [
      write(
        model(
          n("a"),
          1,
          { [even]: adding(), [odd]: adding(1) },
          `version_policy { specific { versions: [${odd}] } }`,
        ),
      ),
      load(n("a")),
      index,
      policy(n("a")),
      ask(n("a")),
      ask(n("a"), even),
      load(n("a"), { config: config(5, specific(even)) }),
      index,
      policy(n("a")),
      load(n("a"), { config: config(5, specific(odd)) }),
      index,
      policy(n("a")),
      load(n("a"), { config: JSON.stringify(config(5, specific(0))).replace("[0]", `[${odd}]`) }),
      index,
      write(model(n("b"), 1, { [even]: adding(), [odd]: adding(1) }, "version_policy { all {} }")),
      write(chain(n("e"), `${n("b")}@${odd}`)),
      load(n("e")),
      index,
      ask(n("e")),
    ];
  },
  "a changed model": (n) => [
    write(model(n("a"), 1)),
    load(n("a")),
    write(model(n("a"), 2)),
    ask(n("a")),
    load(n("a")),
    ask(n("a")),
    write({ [`${n("a")}/1/model.py`]: adding(1) }),
    load(n("a")),
    ask(n("a")),
  ],
  "a model that is deleted while it serves": (n) => [
    write(model(n("a"), 1)),
    load(n("a")),
    remove(n("a")),
    index,
    ask(n("a")),
    load(n("a")),
    ask(n("a")),
    unload(n("a")),
    index,
    ask(n("a")),
  ],
  "a configuration in place of the file's": (n) => [
    write(model(n("a"), 1)),
    load(n("a"), { config: config(5) }),
    index,
    ask(n("a")),
    load(n("a"), { config: config(7) }),
    ask(n("a")),
    load(n("a"), { config: config(7) }),
    ask(n("a")),
    write(model(n("a"), 2)),
    load(n("a")),
    ask(n("a")),
    load(n("a"), { config: config(8) }),
    unload(n("a")),
    load(n("a")),
    ask(n("a")),
  ],
  "a configuration holds until a file changes or an unload": (n) => [
    write(model(n("a"), 1), chain(n("e"), n("a"))),
    load(n("e")),
    load(n("a"), { config: config(5) }),
    ask(n("e")),
    load(n("a")),
    ask(n("e")),
    load(n("e")),
    ask(n("e")),
    write(model(n("a"), 2)),
    load(n("a")),
    ask(n("e")),
    load(n("a"), { config: config(6) }),
    load(n("a")),
    ask(n("e")),
    write({ [`${n("a")}/1/model.py`]: adding(1) }),
    load(n("a")),
    ask(n("e")),
    load(n("a"), { config: config(7) }),
    load(n("a")),
    write({ [`${n("a")}/2/model.py`]: adding(2) }),
    load(n("a")),
    ask(n("e")),
    load(n("a"), { config: config(8) }),
    load(n("a"), { config: config(9), files: { "1/model.py": adding(3) } }),
    ask(n("e")),
    load(n("a")),
    ask(n("e")),
    load(n("a"), { config: config(8) }),
    unload(n("a")),
    load(n("a")),
    ask(n("e")),
  ],
  "configurations that are wrong": (n) => [
    write(model(n("a"), 1)),
    load(n("a"), { config: "no JSON" }),
    load(n("a"), { config: "" }),
    load(n("a"), { config: "{}" }),
    load(n("a"), { config: '{"backend":"python","no_field":1}' }),
    load(n("a"), { config: config(1, { name: "other" }) }),
    load(n("a"), { config: config(1, { max_batch_size: -1 }) }),
    load(n("a"), { config: config(1, { version_policy: { specific: { versions: [2] } } }) }),
    load(n("no"), { config: config(1) }),
    index,
    load(n("a")),
    load(n("a"), { config: "no JSON" }),
    index,
    ask(n("a")),
  ],
  "a wrong configuration between two good ones": (n) => [
    write(model(n("a"), 1), chain(n("e"), n("a"))),
    load(n("e")),
    load(n("a"), { config: config(5) }),
    ask(n("e")),
    load(n("a"), { config: config(6, { max_batch_size: -1 }) }),
    index,
    ask(n("e")),
    ask(n("a")),
    load(n("a")),
    ask(n("e")),
    load(n("a"), { config: "no JSON" }),
    index,
    ask(n("e")),
    load(n("a"), { config: config(7, { parameters: {} }) }),
    index,
    ask(n("e")),
    load(n("a"), { config: config(7, { parameters: {} }) }),
    load(n("a"), { config: config(8) }),
    index,
    ask(n("e")),
    unload(n("a")),
    load(n("a")),
    index,
    ask(n("e")),
  ],
  "a refused configuration, then none": (n) => {
    const refused = config(9, { version_policy: { specific: { versions: [2] } } });
    const askAll = [ask(n("a")), ask(n("e"))];
    return [
      write(model(n("a"), 1), chain(n("e"), n("a"))),
      load(n("a"), { config: refused }),
      load(n("a"), { config: config(5) }),
      load(n("a")),
      ask(n("a")),
      unload(n("a")),
      load(n("a"), { config: config(5) }),
      load(n("a")),
      load(n("a"), { config: refused }),
      ask(n("a")),
      load(n("a")),
      ask(n("a")),
      load(n("a"), { config: config(6) }),
      load(n("e")),
      ...askAll,
      load(n("a"), { config: refused }),
      ...askAll,
      load(n("a")),
      ...askAll,
      load(n("e")),
      ...askAll,
      unload(n("a")),
      load(n("a"), { config: config(7) }),
      load(n("e")),
      ...askAll,
      load(n("a"), { config: refused }),
      write(model(n("a"), 2)),
      load(n("a")),
      ...askAll,
    ];
  },
  "files in place of the folder": (n) => [
    write(model(n("a"), 1, { 1: adding(), 2: adding(2) })),
    load(n("a"), { config: config(5), files: { "1/model.py": adding(3) } }),
    index,
    ask(n("a")),
    load(n("a")),
    index,
    ask(n("a")),
    load(n("a"), { files: { "1/model.py": adding(3) } }),
    ask(n("a")),
    index,
  ],
  "other files": (n) => [
    load(n("a"), { config: config(5), files: { "1/model.py": adding(1) } }),
    load(n("a"), { config: config(5), files: { "1/model.py": adding(2) } }),
    ask(n("a")),
    load(n("a"), { config: config(6), files: { "1/model.py": adding(2), "2/model.py": adding(3) } }),
    ask(n("a")),
  ],
  "poisoned files": (n) => [
    load(n("a"), { config: config(5), files: { "1/model.py": poisoned } }),
    index,
    ask(n("a")),
    write(model(n("b"), 1)),
    load(n("b")),
    load(n("b"), { config: config(5), files: { "1/model.py": poisoned } }),
    ask(n("b")),
  ],
  "files of a model without a folder": (n) => [
    load(n("a"), { config: config(5), files: { "1/model.py": adding(3) } }),
    index,
    ask(n("a")),
    load(n("a")),
    ask(n("a")),
    unload(n("a")),
    ask(n("a")),
    load(n("a")),
    ask(n("a")),
  ],
  "files that are wrong": (n) => [
    write(model(n("a"), 1)),
    load(n("a"), { files: { "1/model.py": adding() } }),
    load(n("a"), { config: config(1), files: { "../model.py": adding() } }),
    load(n("a"), { config: config(1), files: { "1/../../../model.py": adding() } }),
    load(n("a"), { config: config(1), files: { "/tmp/model.py": adding(1) } }),
    load(n("a"), { config: config(1), files: { "1/x/../model.py": adding(4) } }),
    ask(n("a")),
    load(n("a"), { config: config(1), files: { "model.py": adding() } }),
    load(n("a"), { config: config(1), files: { "1": adding(), "1/model.py": adding() } }),
    load(n("a"), { config: config(1), files: { "": adding() } }),
    index,
    ask(n("a")),
  ],
  "an ensemble brings its members": (n) => [
    write(model(n("a"), 1), model(n("b"), 10), chain(n("e"), n("a"), n("b"))),
    load(n("e")),
    index,
    ask(n("e")),
    ask(n("a")),
    write(model(n("a"), 2)),
    load(n("e")),
    ask(n("e")),
    write(model(n("b"), 20)),
    load(n("b")),
    ask(n("e")),
    unload(n("e")),
    index,
    ask(n("a")),
  ],
  "a member goes and comes back": (n) => [
    write(model(n("a"), 1), model(n("b"), 10), chain(n("e"), n("a"), n("b"))),
    load(n("e")),
    unload(n("a")),
    index,
    ask(n("e")),
    load(n("a")),
    index,
    ask(n("e")),
    unload(n("e")),
    load(n("a")),
    index,
  ],
  "unload with those that came with it": (n) => [
    write(model(n("a"), 1), model(n("b"), 10), model(n("c"), 100)),
    write(chain(n("e"), n("a"), n("b")), chain(n("f"), n("b"), n("c")), chain(n("g"), n("e"), n("c"))),
    load(n("a")),
    load(n("e")),
    load(n("f")),
    unload(n("e"), true),
    index,
    unload(n("f"), true),
    index,
    load(n("g")),
    index,
    ask(n("g")),
    unload(n("g"), true),
    index,
    load(n("g")),
    unload(n("c"), true),
    index,
    unload(n("g"), false),
    index,
  ],
  "a member that does not exist": (n) => [
    write(model(n("a"), 1), chain(n("e"), n("a"), n("b"))),
    load(n("e")),
    index,
    ask(n("e")),
    load(n("e")),
    write(model(n("b"), 10)),
    load(n("b")),
    index,
    ask(n("e")),
  ],
  "a member that is poisoned": (n) => [
    write(model(n("a"), 1), model(n("b"), 10, { 1: poisoned }), chain(n("e"), n("a"), n("b"))),
    load(n("e")),
    index,
    write(model(n("b"), 10)),
    load(n("e")),
    index,
    ask(n("e")),
    write(model(n("b"), 10, { 1: poisoned })),
    load(n("e")),
    index,
    ask(n("e")),
  ],
  "a member of another shape": (n) => [
    write(model(n("a"), 1), model(n("b"), 10), chain(n("e"), n("a"), n("b"))),
    load(n("e")),
    write(model(n("b"), 10, {}, "", "TYPE_INT32")),
    load(n("b")),
    index,
    ask(n("e")),
    ask(n("b")),
    load(n("e")),
    index,
    write(model(n("b"), 10)),
    load(n("b")),
    index,
    ask(n("e")),
  ],
  "an ensemble in an ensemble": (n) => [
    write(model(n("a"), 1), chain(n("e"), n("a")), chain(n("f"), n("e"), n("a"))),
    load(n("f")),
    index,
    ask(n("f")),
    unload(n("a")),
    index,
    load(n("f")),
    index,
    ask(n("f")),
    unload(n("a")),
    load(n("a")),
    index,
    ask(n("f")),
  ],
  "a version that a step wants": (n) => [
    write(model(n("a"), 1), chain(n("e"), `${n("a")}@2`)),
    load(n("e")),
    index,
    write(model(n("a"), 1, { 2: adding(2) })),
    load(n("e")),
    index,
    ask(n("e")),
    load(n("a")),
    index,
  ],
  "an ensemble by its configuration": (n) => [
    write(model(n("a"), 1), model(n("b"), 10), chain(n("e"), n("a"))),
    load(n("e")),
    ask(n("e")),
    load(n("e"), {
      config: {
        platform: "ensemble",
        input: [{ name: "X", data_type: "TYPE_FP32", dims: [1] }],
        output: [{ name: "Y", data_type: "TYPE_FP32", dims: [1] }],
        ensemble_scheduling: {
          step: [{ model_name: n("b"), model_version: -1, input_map: { X: "X" }, output_map: { Y: "Y" } }],
        },
      },
    }),
    index,
    ask(n("e")),
  ],
};
