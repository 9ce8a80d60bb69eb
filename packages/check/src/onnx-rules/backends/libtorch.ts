import type { ModelContext } from "../../model-context.ts";
import { modelRule, type Rule } from "../../rule.ts";

const rowsOf = ({ config }: ModelContext) =>
  config.backend === "pytorch"
    ? (["input", "output"] as const).flatMap((side) =>
        (config[side] ?? []).map((row, index) => ({ ...row, name: row.name ?? "", side, index })),
      )
    : [];

const noTensors = modelRule(
  {
    code: "backend/pytorch-no-tensors",
    triton: ["63"],
    judged: "source",
    message: "`{model}` lists no {side}s, and the PyTorch backend does not complete them",
    help: "list its inputs and outputs",
    reason: "A TorchScript file does not describe its inputs and outputs, so the configuration must.",
  },
  (model, report) => {
    if (model.config.backend !== "pytorch") return;
    for (const side of ["input", "output"] as const)
      if (!model.config[side]?.length) report(model.at([side], `no ${side} is listed`), { side });
  },
);

const withoutTensorType = new Set<unknown>(["TYPE_UINT16", "TYPE_UINT32", "TYPE_UINT64", "TYPE_BF16"]);

const datatype = modelRule(
  {
    code: "backend/pytorch-data-type",
    triton: ["64"],
    judged: "source",
    message:
      "{side} `{tensor}` of `{model}` has data_type {type}, which the PyTorch backend does not support",
    help: "use a signed type of that size, or a float type",
    reason:
      "TorchScript does not support unsigned integers wider than 8 bits, and the backend does not support bfloat16.",
  },
  (model, report) => {
    for (const { side, index, name, data_type } of rowsOf(model))
      if (withoutTensorType.has(data_type))
        report(model.at([side, index, "data_type"], "here"), { side, tensor: name, type: String(data_type) });
  },
);

const strings = modelRule(
  {
    code: "backend/pytorch-string-shape",
    triton: ["64"],
    judged: "source",
    message:
      "{side} `{tensor}` of `{model}` is BYTES[{dims}]; the PyTorch backend only accepts one-dimensional lists of strings",
    help: "write one dimension in dims",
    reason: "Strings become a TorchScript `List[str]`, which is one-dimensional.",
  },
  (model, report) => {
    for (const { side, index, name, data_type, dims = [], reshape } of rowsOf(model)) {
      const shape = reshape === undefined ? dims : (reshape.shape ?? []);
      if (data_type !== "TYPE_STRING" || shape.length <= 1) continue;
      report(model.at([side, index, "dims"], "here"), { side, tensor: name, dims: shape.join(", ") });
    }
  },
);

const numbered = /__\d+$/;

const naming = modelRule(
  {
    code: "backend/pytorch-name",
    triton: ["65"],
    judged: "source",
    message:
      "{side} `{tensor}` of `{model}` must be named `<name>__<index>`, because the model has sequence states",
    help: "number inputs and outputs in the order of forward(), followed by the states: `INPUT__0`, `OUTPUT__0`",
    reason: "If the model has states, the backend finds arguments only by the numbers in their names.",
  },
  (model, report) => {
    if (!model.config.sequence_batching?.state?.length) return;
    for (const { side, index, name } of rowsOf(model))
      if (!numbered.test(name)) report(model.at([side, index, "name"], "here"), { side, tensor: name });
  },
);

const withoutOptional = new Set<unknown>(["pytorch", "tensorrt"]);

const optional = modelRule(
  {
    code: "backend/optional-input",
    triton: ["51"],
    judged: "source",
    message: "input `{tensor}` of `{model}` is optional, which the {backend} backend does not support",
    help: "make the input required",
    reason: "A backend must opt in to optional inputs; python and onnxruntime do.",
  },
  (model, report) => {
    const { backend = "", input = [] } = model.config;
    if (!withoutOptional.has(backend)) return;
    input.forEach(({ name = "", optional: left }, index) => {
      if (left === true) report(model.at(["input", index, "optional"], "here"), { tensor: name, backend });
    });
  },
);

/** The PyTorch backend's own checks, and the check for optional inputs, which TensorRT does not support either. */
export const libtorchRules: readonly Rule[] = [noTensors, datatype, strings, naming, optional];
