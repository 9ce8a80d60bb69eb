import { ts } from "ts-morph";

/**
 * Removes esbuild's calls to `__name` that set a name that the function or class already has. Such a call costs more than a microsecond for
 * each closure. Replaces them with spaces, so that the source map stays valid.
 */
export const withNaturalNames = (text: string): string => {
  if (!/\b__name\(/.test(text)) return text;
  const file = ts.createSourceFile("run.mjs", text, ts.ScriptTarget.Latest, true);
  const removed: { readonly from: number; readonly to: number }[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    const named = nameCall(node);
    if (named === undefined) return;
    const { call, target, name } = named;
    const [from, to] = [call.getStart(file), call.getEnd()];
    if (ts.isIdentifier(target) && ts.isExpressionStatement(call.parent)) {
      if (target.text === name) removed.push({ from, to: call.parent.getEnd() });
    } else if (target.kind === ts.SyntaxKind.ThisKeyword) {
      const block = call.parent.parent.parent;
      if (ts.isClassStaticBlockDeclaration(block) && naturalName(block.parent) === name)
        removed.push({ from: block.getStart(file), to: block.getEnd() });
    } else if (naturalName(target, call) === name) {
      const comment = /\/\* @__PURE__ \*\/ $/.exec(text.slice(from - 16, from))?.[0].length ?? 0;
      removed.push({ from: from - comment, to: target.getStart(file) }, { from: target.getEnd(), to });
    }
  };
  visit(file);
  const rest = withBlanks(text, removed);
  return /\b__name\(/.test(rest) ? rest : rest.replace(/^var __name = .*$/m, "");
};

interface NameCall {
  readonly call: ts.CallExpression;
  readonly target: ts.Expression;
  readonly name: string;
}

const nameCall = (node: ts.Node): NameCall | undefined => {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression) || node.expression.text !== "__name")
    return undefined;
  const [target, name] = node.arguments;
  return target !== undefined && name !== undefined && ts.isStringLiteral(name)
    ? { call: node, target, name: name.text }
    : undefined;
};

/** The name of a function or class: its own, or that of the variable or property to which it is assigned. */
const naturalName = (node: ts.Node, value: ts.Node = node): string | undefined => {
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node) && !ts.isClassLike(node)) return undefined;
  if (!ts.isArrowFunction(node) && node.name !== undefined) return node.name.text;
  const { parent } = value;
  if (
    !ts.isVariableDeclaration(parent) &&
    !ts.isPropertyAssignment(parent) &&
    !ts.isPropertyDeclaration(parent)
  )
    return undefined;
  const { name } = parent;
  return parent.initializer === value && ts.isIdentifier(name) && name.text !== "__proto__"
    ? name.text
    : undefined;
};

/** The same text with some parts replaced by spaces, or removed at the ends of lines. */
const withBlanks = (
  text: string,
  removed: readonly { readonly from: number; readonly to: number }[],
): string => {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to } of removed.toSorted((a, b) => a.from - b.from)) {
    parts.push(text.slice(at, from), blanks(text.slice(from, to), text[to] === "\n"));
    at = to;
  }
  return [...parts, text.slice(at)].join("");
};

const blanks = (removed: string, endsLine: boolean): string => {
  const spaces = removed.replaceAll(/[^\n]+/g, (line) => " ".repeat(line.length));
  return endsLine ? spaces.replaceAll(/ +$/gm, "") : spaces;
};
