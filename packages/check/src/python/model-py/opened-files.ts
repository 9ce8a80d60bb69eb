import type { ClassModelPy } from "./model-py.ts";
import type { Argument, Expression } from "../syntax.ts";
import { callsIn, valuesOf } from "../values.ts";
import { dottedName } from "../walk.ts";

/** A call that reads a file. */
export interface OpenedFile {
  readonly call: Expression;
  readonly path: Expression;
}

/** A file of an export that `optimum` should load: `ORTModel….from_pretrained(folder, file_name="model_quantized.onnx")`. */
export interface NamedExport {
  readonly folder: Expression;
  /** The argument as written: the name itself, or an alias of it. */
  readonly place: Expression;
  readonly name: Expression;
}

/** The exports that a `model.py` refers to; empty if its code writes, copies, downloads or searches for files. */
export const namedExports = (file: ClassModelPy): readonly NamedExport[] => {
  const calls = callsIn(file.module.body);
  const { resolve } = valuesOf(file.module);
  if (calls.some((call) => isWritten(call) || mayMake.test(lastName(call.callee)))) return [];
  return calls.flatMap(({ callee, args }): readonly NamedExport[] => {
    if (!/^(?:\w+\.)*ORTModel\w+\.from_pretrained$/.test(dottedName(callee) ?? "")) return [];
    const [folder] = args;
    const elsewhere = args.some(({ name, star }) => star !== "" || name === "subfolder" || name === "export");
    if (folder === undefined || folder.name !== undefined || elsewhere) return [];
    return args.flatMap(({ name, value }) =>
      /^(?:\w+_)?file_name$/.test(name ?? "")
        ? [{ folder: folder.value, place: value, name: resolve(value) }]
        : [],
    );
  });
};

/**
 * The calls in a `model.py` that read files, unless its code creates or searches for them. Empty if the code writes,
 * copies or downloads files, checks whether they exist, or changes the working directory.
 */
export const openedFiles = (file: ClassModelPy): readonly OpenedFile[] => {
  const calls = callsIn(file.module.body);
  const { bound } = valuesOf(file.module);
  if (calls.some((call) => isWritten(call) || mayMake.test(lastName(call.callee)))) return [];
  return calls.flatMap((call): readonly OpenedFile[] => {
    const path = pathOf(call, bound);
    return path === undefined ? [] : [{ call, path }];
  });
};

type Call = Expression & { readonly kind: "call" };

const readers =
  /^(?:open|io\.open|codecs\.open|(?:np|numpy)\.(?:load|loadtxt|genfromtxt|fromfile)|torch\.(?:jit\.)?load|(?:\w+\.)?Tokenizer\.from_file|(?:onnxruntime|ort|rt)\.InferenceSession)$/;
const methods = new Set(["open", "read_text", "read_bytes"]);
const mayMake =
  /^(?:exists|lexists|is_?file|is_?dir|access|chdir|urlretrieve|copy\w*|move|rename|extract\w*|unpack\w*|write\w*|save\w*|dump|tofile|touch|system|popen|Popen|call|check_call|check_output)$|download/i;

/** The file that a call reads. */
const pathOf = ({ callee, args }: Call, bound: ReadonlySet<string>): Expression | undefined => {
  const name = dottedName(callee);
  const [first] = args;
  if (name !== undefined && readers.test(name) && !(name === "open" && bound.has(name)))
    return first?.star === "" && first.name === undefined ? first.value : undefined;
  return callee.kind === "attribute" && methods.has(callee.name) ? callee.object : undefined;
};

/** `open(path, "w")` and `path.open("a")`. */
const isWritten = ({ callee, args }: Call): boolean =>
  lastName(callee) === "open" && args.some((argument, at) => isWritingMode(argument, at));

const isWritingMode = ({ name, value }: Argument, at: number): boolean =>
  (name === "mode" || (name === undefined && at < 2)) &&
  value.kind === "text" &&
  /^[rwaxbt+]{1,3}$/.test(value.value ?? "") &&
  /[wax+]/.test(value.value ?? "");

const lastName = (callee: Expression): string =>
  callee.kind === "name" || callee.kind === "attribute" ? callee.name : "";
