import type { MappedLine, Span } from "@tritype/core";
import { ts } from "ts-morph";
import type { Variable } from "../ir/variable.ts";
import { jsonShapeOf } from "../builtins/json-shape.ts";
import { inheritedNames } from "../lower/expressions/inherited-names.ts";
import { javascriptParseAs, parseJson } from "../json/parse-json.ts";
import type { Program, Written } from "./gather.ts";
import { inputPlace, type JsonEdges } from "./json-edges.ts";
import { type LineFrom, mappedLines } from "./source-map.ts";

/** Prints the gathered declarations without types, as one ES module that exports `run`. */
export const javascriptOf = (
  program: Program,
  edges: JsonEdges | undefined,
  checked: ReadonlyMap<number, "reads" | "writes">,
  placeOf: (node: ts.Node) => Span,
): { readonly text: string; readonly lines: readonly MappedLine[] } => {
  const names = uniqueNames(program);
  const nameOf = (variable: Variable): string => names.get(variable) ?? variable.name;
  const renaming: Renaming = { program, checked, nameOf };
  let text = "";
  const lines: MappedLine[] = [];
  for (const written of program.written) {
    const [javascript, mapped] = transpile(sourceOf(written, renaming));
    const start = text === "" ? 0 : text.split("\n").length - 1;
    const at = placeOf(written.node);
    for (const { line, from } of mapped)
      lines.push({
        line: start + line,
        at: { file: at.file, line: at.line + from - 1, column: from === 1 ? at.column : 1 },
      });
    text += javascript;
  }
  const around = edges === undefined ? undefined : aroundJson(nameOf(program.run), edges);
  if (around !== undefined) text += around;
  if (text.includes("parseAs(")) text += javascriptParseAs.trimStart();
  if (checked.size > 0) text += javascriptNames;
  const run = around === undefined ? nameOf(program.run) : "runOnJson";
  return { text: `${text}export { ${run === "run" ? "run" : `${run} as run`} };\n`, lines };
};

/** A cache, because many functions of a project share helpers. */
const transpiled = new Map<string, readonly [text: string, lines: readonly LineFrom[]]>();

/** A declaration without its types. */
const transpile = (source: string): readonly [text: string, lines: readonly LineFrom[]] => {
  const known = transpiled.get(source);
  if (known !== undefined) return known;
  const { outputText, sourceMapText = "" } = ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      sourceMap: true,
      removeComments: false,
    },
  });
  const text = outputText.replace(/\n?\/\/# sourceMappingURL=.*\n?$/, "\n");
  const made = [text, mappedLines(sourceMapText)] as const;
  transpiled.set(source, made);
  return made;
};

/** A function around `run` that reads inputs from JSON text and writes outputs as JSON text. */
const aroundJson = (run: string, { inputs, outputs, isBatch }: JsonEdges): string => {
  const each = (tensor: string, convert: (one: string) => string): string =>
    isBatch ? `{ ...${tensor}, data: ${tensor}.data.map((one) => ${convert("one")}) }` : convert(tensor);
  const read = inputs.map(({ name, shape, named, optional }) => {
    const given = `row[${JSON.stringify(name)}]`;
    const value = each(given, (one) => parseJson(shape, named, inputPlace(name)).javascript(one));
    return `${JSON.stringify(name)}: ${optional ? `${given} === undefined ? undefined : ${value}` : value}`;
  });
  const written = outputs.map(({ name }) => {
    const given = `made[${JSON.stringify(name)}]`;
    const text = each(given, (one) => `JSON.stringify(${one})`);
    return `${JSON.stringify(name)}: ${given} === undefined ? undefined : ${text}`;
  });
  return `function runOnJson(row) {
  const made = ${run}({ ${["...row", ...read].join(", ")} });
  return { ${["...made", ...written].join(", ")} };
}
`;
};

/** Names of the module's declarations: the user's, with a number if two files use the same name. */
const uniqueNames = ({ written, run }: Program): ReadonlyMap<Variable, string> => {
  const taken = new Set<string>(javascriptGlobals);
  const names = new Map<Variable, string>();
  const inner = new Set<string>();
  for (const { node } of written) collectNames(node, inner);
  for (const { declaration } of written) {
    const { variable } = declaration;
    const isFree = (name: string): boolean =>
      !(taken.has(name) || (name !== variable.name && inner.has(name))) &&
      (variable === run || name !== "run" || run.name !== "run");
    let name = variable.name;
    for (let count = 2; !isFree(name); count++) name = `${variable.name}_${count}`;
    taken.add(name);
    names.set(variable, name);
  }
  return names;
};

/** Names that must not be used for declarations, because the generated code or the user's code may refer to them. */
const javascriptGlobals: readonly string[] = `
runOnJson parseAs misfit first step describe inheritedNames ownName newName propOf passOn NotPortable
Array BigInt Boolean Error Infinity JSON Map Math NaN Number Object RangeError RegExp Set String Symbol SyntaxError TypeError
isFinite isNaN parseFloat parseInt undefined globalThis Date Intl Reflect Proxy Promise
Float32Array Float64Array Int8Array Int16Array Int32Array Uint8Array Uint8ClampedArray Uint16Array Uint32Array BigInt64Array
BigUint64Array`
  .trim()
  .split(/\s+/);

const collectNames = (node: ts.Node, into: Set<string>): void => {
  if (ts.isIdentifier(node)) into.add(node.text);
  ts.forEachChild(node, (child) => collectNames(child, into));
};

interface Renaming {
  readonly program: Program;
  readonly checked: ReadonlyMap<number, "reads" | "writes">;
  readonly nameOf: (variable: Variable) => string;
}

/** TypeScript of one declaration, with the module's names. */
const sourceOf = ({ declaration, node }: Written, renaming: Renaming): string => {
  const name = renaming.nameOf(declaration.variable);
  if (ts.isVariableDeclaration(node))
    return `const ${name} = ${node.initializer === undefined ? "undefined" : renamed(node.initializer, renaming)};\n`;
  if (ts.isFunctionDeclaration(node)) {
    const text = renamed(node, renaming, node.parameters.pos - 1);
    return `function ${name}${typeParameters(node)}${text}\n`;
  }
  if (ts.isMethodDeclaration(node))
    return `function ${name}${typeParameters(node)}${renamed(node, renaming, node.parameters.pos - 1)}\n`;
  return `const ${name} = ${renamed(node, renaming)};\n`;
};

const typeParameters = (node: ts.FunctionDeclaration | ts.MethodDeclaration): string =>
  node.typeParameters === undefined
    ? ""
    : `<${node.typeParameters.map((parameter) => parameter.getText()).join(", ")}>`;

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The code of a node, with the module's names and with checks inserted. */
const renamed = (node: ts.Node, renaming: Renaming, from: number = node.getStart()): string => {
  const { program, nameOf } = renaming;
  const { references, notes } = program;
  const file = node.getSourceFile();
  const edits: Edit[] = [];
  const visit = (inner: ts.Node): void => {
    const value = ts.isExpression(inner) ? notes.members.get(inner) : undefined;
    if (value !== undefined) {
      const text = typeof value === "number" && value < 0 ? `(${value})` : JSON.stringify(value);
      edits.push({ from: inner.getStart(file), to: inner.getEnd(), text });
      return;
    }
    const member = ts.isPropertyAccessExpression(inner)
      ? references.get(inner.name as ts.Identifier)
      : undefined;
    if (member !== undefined) {
      edits.push({ from: inner.getStart(file), to: inner.getEnd(), text: nameOf(member) });
      return;
    }
    edits.push(...namedEdits(inner, file, renaming));
    if (ts.isCatchClause(inner) && renaming.checked.size > 0) edits.push(passOnEdit(inner, file));
    const type = ts.isCallExpression(inner) ? notes.parses.get(inner) : undefined;
    const made = type && jsonShapeOf(type);
    if (made !== undefined && ts.isCallExpression(inner)) {
      const [call = "", data = ""] = parseJson(made.shape, made.named).javascript("\0").split("\0");
      const [argument] = inner.arguments;
      if (argument !== undefined) {
        edits.push({ from: inner.getStart(file), to: argument.getStart(file), text: call });
        edits.push({ from: argument.getEnd(), to: inner.getEnd(), text: data });
        visit(argument);
        return;
      }
    }
    if (ts.isIdentifier(inner)) {
      const variable = references.get(inner);
      if (variable !== undefined && inner.text !== nameOf(variable)) {
        const text = ts.isShorthandPropertyAssignment(inner.parent)
          ? `${inner.text}: ${nameOf(variable)}`
          : nameOf(variable);
        edits.push({ from: inner.getStart(file), to: inner.getEnd(), text });
      }
    }
    ts.forEachChild(inner, visit);
  };
  visit(node);
  let text = "";
  let position = from;
  for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
    text += file.text.slice(position, edit.from) + edit.text;
    position = edit.to;
  }
  return text + file.text.slice(position, node.getEnd());
};

/** Makes a `catch` rethrow the errors that JavaScript would not throw. */
const passOnEdit = ({ variableDeclaration, block }: ts.CatchClause, file: ts.SourceFile): Edit => {
  const start = block.getStart(file);
  const name = variableDeclaration?.name.getText(file) ?? "$error";
  const text = `${variableDeclaration === undefined ? "($error) " : ""}{ passOn(${name});`;
  return { from: start, to: start + 1, text };
};

/** Checks the key in `o[k]` and `k in o` against inherited names, as in Python. */
const namedEdits = (
  node: ts.Node,
  file: ts.SourceFile,
  { program, checked, nameOf }: Renaming,
): readonly Edit[] => {
  if (!ts.isBinaryExpression(node) && !ts.isElementAccessExpression(node)) return [];
  const how = checked.get(program.notes.named.indexOf(node));
  if (how === undefined) return [];
  const [object, key] = ts.isBinaryExpression(node)
    ? [node.right, node.left]
    : [node.expression, node.argumentExpression];
  const [start, end] = [key.getStart(file), key.getEnd()];
  const close: Edit = { from: end, to: end, text: ")" };
  if (how === "writes") return [{ from: start, to: start, text: "newName(" }, close];
  const steady = steadyText(object, program, nameOf);
  if (steady !== undefined) return [{ from: start, to: start, text: `ownName(${steady}, ` }, close];
  const at = node.getStart(file);
  return [
    { from: at, to: at, text: "propOf(" },
    { from: object.getEnd(), to: start, text: ", " },
    { from: end, to: node.getEnd(), text: ")" },
  ];
};

/** The code of a name or of a chain of properties, with the module's names; undefined for any other expression. */
const steadyText = (
  node: ts.Expression,
  program: Program,
  nameOf: (variable: Variable) => string,
): string | undefined => {
  if (ts.isNonNullExpression(node)) return steadyText(node.expression, program, nameOf);
  if (ts.isPropertyAccessExpression(node)) {
    const member = program.references.get(node.name as ts.Identifier);
    if (member !== undefined) return nameOf(member);
    const object = steadyText(node.expression, program, nameOf);
    return object && `${object}${node.questionDotToken === undefined ? "." : "?."}${node.name.text}`;
  }
  if (!ts.isIdentifier(node)) return undefined;
  const variable = program.references.get(node);
  return variable === undefined ? node.text : nameOf(variable);
};

const javascriptNames = `const inheritedNames = new Set(${JSON.stringify([...inheritedNames])});
function ownName(o, k) {
  if (inheritedNames.has(k) && !(o == null || Object.hasOwn(o, k)))
    throw new NotPortable(\`property '\${k}' is inherited in JavaScript: use a Map\`);
  return k;
}
class NotPortable extends Error {
  name = "NotPortable";
}
function passOn(error) {
  if (error instanceof NotPortable) throw error;
}
function newName(k) {
  return k === "__proto__" ? ownName({}, k) : k;
}
function propOf(o, k) {
  return o[ownName(o, k)];
}
`;
