import { parseTracedBody, type TracedExpression } from "./traced-code.ts";

/** A class in the file's code by its path: `__torch__.nets.Net` is the class `Net` in `code/__torch__/nets.py`. */
export type ClassCode = (path: string) => string | undefined;

/** A line that reshapes a tensor to the sizes of the example with which the module was traced. */
export interface FixedSize {
  readonly sizes: readonly number[];
  /** The line as written in the file. */
  readonly line: string;
  /** Its class: `__torch__.nets.Net`. */
  readonly where: string;
}

/**
 * The first line in a traced module that reshapes a tensor containing the batch's rows to constant sizes, so that
 * batches with other sizes fail. A finding is reliable if the batch is the first dim of all arguments of `forward`.
 * Lines in scripted code, and lines with tensors that cannot be tracked, are not found.
 */
export const findFixedSize = (classCode: ClassCode, root: string): FixedSize | undefined => {
  let found: FixedSize | undefined;

  /** Whether the batch is among the dims of the method's result; `args` specifies whether it is in the arguments. */
  const follow = (
    path: string,
    method: string,
    args: readonly boolean[] | undefined,
    depth: number,
  ): boolean => {
    const code = classCode(path) ?? "";
    const called = methodOf(code, method);
    const statements = called && depth < deepest ? parseTracedBody(called.body) : undefined;
    if (called === undefined || statements === undefined) return false;
    const [self = "self", ...parameters] = called.parameters;
    const batched = new Set(parameters.filter((_, index) => args?.[index] ?? args === undefined));
    const modules = new Map([[self, path]]);
    const lists = new Map<string, TracedExpression>();

    const moduleOf = (value: TracedExpression): string | undefined => {
      if (value.kind === "name") return modules.get(value.name);
      const owner = value.kind === "attribute" ? moduleOf(value.of) : undefined;
      return owner === undefined || value.kind !== "attribute"
        ? undefined
        : attributeType(classCode(owner) ?? "", value.name);
    };
    const isBatched = (value: TracedExpression, line: string): boolean => {
      if (value.kind === "name") return batched.has(value.name);
      if (value.kind !== "call" || value.callee.kind !== "attribute") return false;
      const { callee } = value;
      const given = value.args.map((arg) => isBatched(arg, line));
      const module = moduleOf(callee.of);
      if (module !== undefined) return follow(module, callee.name, given, depth + 1);
      if (callee.of.kind !== "name" || callee.of.name !== "torch") return false;
      const operator = callee.name.replace(/_$/, "");
      if (reshaping.has(operator)) {
        const [, wanted] = value.args;
        const sizes = constants(wanted?.kind === "name" ? lists.get(wanted.name) : wanted);
        if (sizes === undefined) return given[0] === true;
        if (given[0] === true) found ??= { sizes, line, where: path };
        return false;
      }
      return (
        (keeping.get(operator)?.some((place) => given[place] === true) ?? false) ||
        (reducing.has(operator) && given[0] === true && sparesTheBatch(value.args[1]))
      );
    };
    let last = false;
    for (const { targets, value, line } of statements) {
      if (found !== undefined) return false;
      last = isBatched(value, line);
      const module = moduleOf(value);
      for (const target of targets) {
        batched.delete(target);
        modules.delete(target);
        if (last) batched.add(target);
        if (value.kind === "list") lists.set(target, value);
        if (module !== undefined) modules.set(target, module);
      }
    }
    return last;
  };

  follow(root, "forward", undefined, 0);
  return found;
};

const deepest = 100;

const reshaping = new Set(["reshape", "view", "_unsafe_view"]);

/** Operators whose results contain the batch if one of these arguments contains it. */
const keeping: ReadonlyMap<string, readonly number[]> = new Map<string, readonly number[]>([
  ..."abs bmm chunk clamp clone contiguous cumsum detach dropout eq erf exp flatten ge gelu gt layer_norm le linear log log_softmax logical_not lt masked_fill matmul ne neg ones_like permute pow reciprocal relu rsqrt rsub sigmoid silu softmax split sqrt tanh to transpose type_as unsqueeze zeros_like"
    .split(" ")
    .map((name): [string, readonly number[]] => [name, [0]]),
  ..."add div mul sub".split(" ").map((name): [string, readonly number[]] => [name, [0, 1]]),
  ["baddbmm", [1]],
  ["embedding", [1]],
]);

/** Operators that remove the dims, or parts of the dims, that their second argument names. */
const reducing = new Set(["amax", "argmax", "mean", "select", "slice", "sum"]);

const sparesTheBatch = (dims: TracedExpression | undefined): boolean => {
  const list = dims?.kind === "list" ? dims.items : dims?.kind === "integer" ? [dims] : [];
  return list.length > 0 && list.every((dim) => dim.kind === "integer" && dim.value > 0);
};

/** The sizes, if all of them are constants. */
const constants = (value: TracedExpression | undefined): readonly number[] | undefined => {
  if (value?.kind !== "list") return undefined;
  const sizes = value.items.map((item) => (item.kind === "integer" ? item.value : -1));
  return sizes.length > 0 && sizes.every((size) => size >= 0) ? sizes : undefined;
};

const methodOf = (
  code: string,
  name: string,
): { readonly parameters: readonly string[]; readonly body: readonly string[] } | undefined => {
  const found = new RegExp(`^ {2}def ${name}\\(([\\s\\S]*?)\\) -> [^\\n]+:\\n`, "m").exec(code);
  if (found === null) return undefined;
  const lines = code.slice(found.index + found[0].length).split("\n");
  const end = lines.findIndex((line) => line !== "" && !line.startsWith("    "));
  return {
    parameters: [...(found[1] ?? "").matchAll(/(?:^|,)\s*(\w+)\s*:/g)].map(([, parameter = ""]) => parameter),
    body: lines.slice(0, end < 0 ? undefined : end),
  };
};

const attributeType = (code: string, name: string): string | undefined =>
  new RegExp(`^ {2}(?:${name}|__annotations__\\["${name}"\\]) [:=] (__torch__[\\w.]+)$`, "m").exec(code)?.[1];
