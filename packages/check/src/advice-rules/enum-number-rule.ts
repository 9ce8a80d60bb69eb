import { decodeUtf8 } from "@tritype/core";
import type { FieldPath } from "../model-context.ts";
import { folderOf } from "../python/model-py/model-py.ts";
import { modelRule, type Rule } from "../rule.ts";

/** Enum fields of tensors and instance groups that appear in handwritten configurations. */
const enumFields = new Set(["data_type", "format", "kind"]);

/** An enum value written as a number. */
export const enumNumber: Rule = modelRule(
  {
    code: "config/enum-number",
    triton: ["4"],
    judged: "ours",
    message: "`{field}` of `{model}` is the number {value} instead of an identifier{undefined}",
    help: "write the identifier, such as TYPE_FP32 or KIND_CPU",
    reason:
      "Triton's parser accepts numbers, even undefined ones: a model with `data_type: 99` is READY, and every request gets 400, \"data-type is 'FP32', but model 'm' expects '<invalid>'\". Defined numbers work, but they are hard to read.",
  },
  (model, report) => {
    if (!model.hasConfig) return;
    let lines: readonly string[] | undefined;
    visit(model.written, [], (path, value) => {
      // Undefined numbers elsewhere, and in ONNX models, have their own rules.
      if (
        typeof value === "number" &&
        (path.at(-1) !== "data_type" || model.config.backend === "onnxruntime")
      )
        return;
      if (value === "TYPE_INVALID") return;
      const { span } = model.at(path, "");
      const file = span.file.slice(folderOf(model).length + 1);
      lines ??= decodeUtf8(model.read(file) ?? new Uint8Array()).split("\n");
      const rest = lines[span.line - 1]?.slice(span.column - 1) ?? "";
      const [, written] = /^(?:\w+\s*:\s*)?\[?\s*(\d+)\b/.exec(rest) ?? [];
      const number = typeof value === "number" ? String(value) : written;
      if (number === undefined) return;
      report(model.at(path, typeof value === "number" ? "no such value" : `means ${value}`), {
        field: path.join("."),
        value: number,
        undefined: typeof value === "number" ? "; no identifier has this value" : "",
      });
    });
  },
);

const visit = (
  value: unknown,
  path: FieldPath,
  found: (path: FieldPath, value: string | number) => void,
): void => {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    if (enumFields.has(key) && (typeof inner === "string" || typeof inner === "number"))
      found([...path, step], inner);
    else visit(inner, [...path, step], found);
  }
};
