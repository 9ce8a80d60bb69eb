import { decodeUtf8, groupBy, isObject, type Label, remembered } from "@tritype/core";
import { readJson } from "../../model/json-file.ts";
import type { ModelContext, RepositoryContext } from "../../model-context.ts";
import { backendUtilsOf, type Call } from "../../python/backend-utils.ts";
import { type ClassModelPy, classModelPys, folderOf, modelPys } from "../../python/model-py/model-py.ts";
import type { Expression } from "../../python/syntax.ts";
import { callsIn, valuesOf } from "../../python/values.ts";
import { allExpressions, allStatements } from "../../python/walk.ts";
import { mayCallModels } from "./model-calls.ts";

/** A name in a file, and its position. */
interface Name {
  readonly name: string;
  at(text: string): Label;
}

/** A tensor, with the type that the caller expects, if it is known. */
export interface CalledTensor extends Name {
  readonly type?: { readonly dtype: string; readonly dims: readonly number[] };
}

/** A call to another model whose name is known: in a `model.py`, or in a flow's `function.json`. */
export interface CalledModel {
  /** Relative to the model's folder: `1/model.py`. */
  readonly path: string;
  readonly called: Name;
  /** If the call requests a specific version. */
  readonly version?: Name;
  readonly inputs: readonly CalledTensor[];
  readonly outputs: readonly CalledTensor[];
  /** Whether `outputs` are all outputs that the call requests. */
  readonly hasAllOutputs: boolean;
}

/** The models that a Python-backend model calls. */
export const calledModels: (model: ModelContext) => readonly CalledModel[] = remembered((model) =>
  mayCallModels(model)
    ? [
        ...classModelPys(model).flatMap(callsOfPython),
        ...modelPys(model).flatMap(({ path }) => callsOfFlow(model, path)),
      ]
    : [],
);

/**
 * The models that each model's code calls by name, each with the outputs that the calls request; the outputs are
 * undefined if the code does not name all of them. Models without calls are left out.
 */
export const callsByModel = ({
  models,
}: Pick<RepositoryContext, "models">): ReadonlyMap<
  string,
  ReadonlyMap<string, readonly string[] | undefined>
> =>
  new Map(
    [...models].flatMap(([name, { model }]) => {
      const calls = groupBy(calledModels(model).map((call) => [call.called.name, call] as const));
      return calls.size === 0 ? [] : [[name, requestedBy(calls)] as const];
    }),
  );

const requestedBy = (
  calls: ReadonlyMap<string, readonly CalledModel[]>,
): ReadonlyMap<string, readonly string[] | undefined> =>
  new Map(
    [...calls].map(([name, all]) => [
      name,
      all.every(({ hasAllOutputs }) => hasAllOutputs)
        ? [...new Set(all.flatMap(({ outputs }) => outputs.map((output) => output.name)))]
        : undefined,
    ]),
  );

/** `pb_utils.InferenceRequest(model_name="…", …)` */
const callsOfPython = (file: ClassModelPy): readonly CalledModel[] => {
  const { memberOf } = backendUtilsOf(file.module);
  const { resolve } = valuesOf(file.module);
  const nameOf = (place: Expression | undefined): readonly Name[] => {
    const text = place && resolve(place);
    return text?.kind === "text" && text.value !== undefined
      ? [{ name: text.value, at: (says) => file.at(text.from, says) }]
      : [];
  };
  const items = (call: Call, argument: string): readonly Expression[] => {
    const list = call.args.find(({ name }) => name === argument);
    const value = list && resolve(list.value);
    return value?.kind === "sequence" ? value.items : [];
  };
  /** A negative number, the default, means the latest version. It is parsed as an operator, not as a number. */
  const versionOf = (call: Call): Name | undefined => {
    const place = call.args.find(({ name }) => name === "model_version");
    const value = place && resolve(place.value);
    return value?.kind === "number"
      ? { name: String(value.value), at: (says) => file.at(value.from, says) }
      : undefined;
  };
  const calls = callsIn(file.module.body);
  /** Uses of a list's name that do not change the list. */
  const unchanged = new Set([
    ...allStatements(file.module.body).flatMap((statement) =>
      statement.kind === "assign" && statement.targets.length === 1 && statement.value?.kind !== "name"
        ? statement.targets
        : [],
    ),
    ...calls
      .filter(({ callee }) => memberOf(callee) === "InferenceRequest")
      .flatMap(({ args }) => args.map(({ value }) => value)),
  ]);
  /** Whether the list is written in the call, or is named and nothing in the file can change it. */
  const isConstantList = (list: Expression | undefined): boolean =>
    list?.kind === "sequence" ||
    (list?.kind === "name" &&
      allExpressions(file.module.body).every(
        (one) => one.kind !== "name" || one.name !== list.name || unchanged.has(one),
      ));
  return calls.flatMap((call): readonly CalledModel[] => {
    if (memberOf(call.callee) !== "InferenceRequest") return [];
    const [called] = nameOf(call.args.find(({ name }) => name === "model_name")?.value);
    if (called === undefined) return [];
    const inputs = items(call, "inputs").flatMap((item) => {
      const tensor = resolve(item);
      return tensor.kind === "call" && memberOf(resolve(tensor.callee)) === "Tensor"
        ? nameOf(tensor.args.find(({ name }, i) => name === "name" || (i === 0 && name === undefined))?.value)
        : [];
    });
    const version = versionOf(call);
    const requested = items(call, "requested_output_names");
    const outputs = requested.flatMap(nameOf);
    // Without names, or with a list that the code builds, any output may be requested.
    const hasAllOutputs =
      outputs.length > 0 &&
      outputs.length === requested.length &&
      isConstantList(call.args.find(({ name }) => name === "requested_output_names")?.value);
    return [{ path: file.path, called, inputs, outputs, hasAllOutputs, ...(version && { version }) }];
  });
};

/** `calls` in the `function.json` next to a flow's `model.py`. */
const callsOfFlow = (model: ModelContext, modelPy: string): readonly CalledModel[] => {
  const path = modelPy.replace(/[^/]*$/, "function.json");
  const calls = readJson(model, path)?.["calls"];
  if (!isObject(calls)) return [];
  const text = decodeUtf8(model.read(path) ?? new Uint8Array());
  const file = `${folderOf(model)}/${path}`;
  const find = (key: string, from: number): number =>
    Math.max(from, text.indexOf(`${JSON.stringify(key)}:`, from));
  const at =
    (from: number) =>
    (says: string): Label => {
      const before = text.slice(0, from);
      return {
        span: { file, line: before.split("\n").length, column: from - before.lastIndexOf("\n") },
        text: says,
      };
    };
  const start = find("calls", 0);
  return Object.entries(calls).flatMap(([key, callee]): readonly CalledModel[] => {
    if (!isObject(callee) || typeof callee["model"] !== "string") return [];
    const place = find(key, start);
    const tensors = (side: "inputs" | "outputs"): readonly CalledTensor[] => {
      const declared = callee[side];
      return Object.entries(isObject(declared) ? declared : {}).map(([name, type]) => ({
        name: isObject(type) && typeof type["servedAs"] === "string" ? type["servedAs"] : name,
        at: at(find(name, find(side, place))),
        ...typeOf(type),
      }));
    };
    const called = { name: callee["model"], at: at(find("model", place)) };
    const version = typeof callee["version"] === "number" &&
      callee["version"] >= 0 && { name: String(callee["version"]), at: at(find("version", place)) };
    return [
      {
        path,
        called,
        inputs: tensors("inputs"),
        outputs: tensors("outputs"),
        hasAllOutputs: true,
        ...(version && { version }),
      },
    ];
  });
};

const typeOf = (type: unknown): Pick<CalledTensor, "type"> => {
  const { dtype, dims } = isObject(type) ? type : {};
  if (typeof dtype !== "string" || !Array.isArray(dims)) return {};
  return { type: { dtype, dims: dims.map((dim) => (typeof dim === "number" ? dim : -1)) } };
};
