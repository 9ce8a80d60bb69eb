import type { ModelContext } from "../../model-context.ts";
import type { ReadModelPy } from "./model-py.ts";
import { parameterOf } from "./parameters.ts";
import type { Expression } from "../syntax.ts";
import { valuesOf } from "../values.ts";
import { dottedName } from "../walk.ts";

/**
 * The target of a path in a `model.py` within its model's folder, or "" for the folder itself:
 * `os.path.join(args["model_repository"], …)`, `Path(__file__).parent / …` and the like, with the values of parameters if `model`
 * is given. undefined when the path is unknown or leads elsewhere.
 */
export const modelPathOf = (
  expression: Expression,
  file: ReadModelPy,
  model?: ModelContext,
): string | undefined => {
  const path = pathOf(expression, { file, model }, 0);
  if (path === undefined || !path.startsWith(repository)) return undefined;
  const parts: string[] = [];
  for (const part of path.slice(repository.length).split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "" && part !== ".") parts.push(part);
  }
  const folder = parts.shift();
  return folder === own || (folder !== undefined && folder === model?.name) ? parts.join("/") : undefined;
};

/** A relative path, which is resolved in the folder where the server was started; undefined for any other. */
export const relativePathOf = (
  expression: Expression,
  file: ReadModelPy,
  model: ModelContext,
): string | undefined => {
  const path = pathOf(expression, { file, model }, 0);
  return path === undefined || /^$|^[/~\\]|:/.test(path) ? undefined : path;
};

/** Represents the repository's folder, which differs between servers; the `own` part represents the model's folder. */
const repository = "/\0";
const own = "\0";
const root = `${repository}/${own}`;
const deepest = 16;

interface Source {
  readonly file: ReadModelPy;
  readonly model: ModelContext | undefined;
}

type Reader = (expression: Expression, source: Source, depth: number) => string | undefined;

const pathOf: Reader = (expression, source, depth) => {
  const { file } = source;
  const value = valuesOf(file.module).resolve(expression);
  if (depth > deepest) return undefined;
  switch (value.kind) {
    case "text":
      return value.value ?? formatted(value, source, depth);
    case "name":
      return value.name === "__file__" ? `${root}/${file.path}` : undefined;
    case "index":
      return value.index.length === 1 && value.index[0]
        ? member(value.object, value.index[0], source)
        : undefined;
    case "attribute":
      return value.name === "parent" ? folderOf(pathOf(value.object, source, depth + 1)) : undefined;
    case "call":
      return called(value, source, depth);
    case "other":
      return joined(value, source, depth);
    default:
      return undefined;
  }
};

/** `args[key]`, and `["string_value"]` of a parameter. */
const member = (object: Expression, key: Expression, { file, model }: Source): string | undefined => {
  if (key.kind !== "text") return undefined;
  if (key.value === "model_repository") return root;
  if (key.value === "model_version") return file.path.split("/")[0];
  if (key.value !== "string_value" || model === undefined) return undefined;
  const parameter = parameterOf(object, valuesOf(file.module));
  const parameters = model.config.parameters ?? {};
  return parameter !== undefined && Object.hasOwn(parameters, parameter.key)
    ? parameters[parameter.key]?.string_value
    : undefined;
};

const folderOf = (path: string | undefined): string | undefined =>
  path?.includes("/") === true ? path.slice(0, path.lastIndexOf("/")) : undefined;

/** Like `os.path.join`: a part that begins with "/" starts over. */
const join = (paths: readonly (string | undefined)[]): string | undefined => {
  let whole = "";
  for (const path of paths) {
    if (path === undefined) return undefined;
    whole = path.startsWith("/") || whole === "" ? path : `${whole}/${path}`;
  }
  return whole;
};

/** Functions that return their argument's path. */
const same =
  /^(?:str|(?:pathlib\.)?(?:Pure)?(?:Posix)?Path|os\.fspath|(?:os\.)?path\.(?:abspath|realpath|normpath))$/;
const sameMethods = new Set(["resolve", "absolute", "as_posix"]);

const called = (
  { callee, args }: Expression & { readonly kind: "call" },
  source: Source,
  depth: number,
): string | undefined => {
  if (args.some(({ star, name }) => star !== "" || name !== undefined)) return undefined;
  const paths = args.map(({ value }) => pathOf(value, source, depth + 1));
  const name = dottedName(callee) ?? "";
  if (same.test(name) || /^(?:os\.)?path\.join$/.test(name)) return join(paths);
  if (/^(?:os\.)?path\.dirname$/.test(name)) return folderOf(paths[0]);
  if (callee.kind !== "attribute") return undefined;
  if (callee.name === "get" && args.length === 1 && args[0])
    return member(callee.object, args[0].value, source);
  const object = pathOf(callee.object, source, depth + 1);
  if (sameMethods.has(callee.name)) return object;
  if (callee.name === "joinpath") return join([object, ...paths]);
  return callee.name === "with_name" ? join([folderOf(object), ...paths]) : undefined;
};

/** `path / "name"` and `path + "/name"`. */
const joined = (
  { what, parts }: Expression & { readonly kind: "other" },
  source: Source,
  depth: number,
): string | undefined => {
  const [left, right, ...more] = parts;
  if (what !== "BinaryExpression" || left === undefined || right === undefined || more.length > 0)
    return undefined;
  const paths = [pathOf(left, source, depth + 1), pathOf(right, source, depth + 1)];
  const operator = source.file.text.slice(left.to, right.from).replaceAll(/[\s()]/g, "");
  if (operator === "/") return join(paths);
  return operator === "+" && !paths.includes(undefined) ? paths.join("") : undefined;
};

/** `f"{args['model_repository']}/tokenizer"`. */
const formatted = (
  { from, to, parts }: Expression & { readonly kind: "text" },
  source: Source,
  depth: number,
): string | undefined => {
  const { text } = source.file;
  const literal = text.slice(from, to);
  const [, quote = ""] = /^[fF]("|')/.exec(literal) ?? [];
  if (quote === "" || literal.startsWith(quote.repeat(3), 1) || /\\|\{\{|\}\}/.test(literal))
    return undefined;
  let path = "";
  let at = from + 2;
  for (const part of parts) {
    const value = pathOf(part, source, depth + 1);
    const before = text.slice(at, part.from);
    const end = text.indexOf("}", part.to);
    if (value === undefined || !before.endsWith("{") || end !== part.to) return undefined;
    path += before.slice(0, -1) + value;
    at = end + 1;
  }
  return path + text.slice(at, to - 1);
};
