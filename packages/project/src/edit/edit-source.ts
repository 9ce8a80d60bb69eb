import { propertyName, type Span } from "@tritype/core";
import { ts } from "ts-morph";

/** A change to an option in a source. */
export interface OptionEdit {
  /** The position at which the call with the options begins; undefined means the default export. */
  readonly call: Pick<Span, "line" | "column"> | undefined;
  /** Names from the options inwards: `["profiles", "tuned"]`. */
  readonly path: readonly string[];
  /** JSON; undefined removes the option. */
  readonly value: unknown;
}

/** The source with one edit; undefined if the option is not written as a literal. */
export const editSource = (source: string, { call, path, value }: OptionEdit): string | undefined => {
  const file = ts.createSourceFile("edited.ts", source, ts.ScriptTarget.Latest, true);
  const found = call === undefined ? defaultExport(file) : callAt(file, call);
  let options = found && optionsOf(file, found);
  for (const [depth, name] of path.entries()) {
    if (options === undefined) return undefined;
    const property = options.properties.find((one) => nameOf(one) === name);
    const isLast = depth === path.length - 1;
    if (property === undefined) {
      const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      return value === undefined ? source : inserted(source, file, options, name, nested);
    }
    if (isLast && value === undefined) return removed(source, options, property);
    if (!ts.isPropertyAssignment(property)) return undefined;
    const { initializer } = property;
    if (isLast) {
      const indent = indentAt(source, property.getStart());
      return `${source.slice(0, initializer.getStart())}${printValue(value, styleOf(source), indent, initializer.getStart() - property.getStart())}${source.slice(initializer.getEnd())}`;
    }
    options = ts.isObjectLiteralExpression(initializer) ? initializer : undefined;
  }
  return undefined;
};

const defaultExport = (file: ts.SourceFile): ts.Expression | undefined =>
  file.statements.find(ts.isExportAssignment)?.expression;

const callAt = (
  file: ts.SourceFile,
  { line, column }: NonNullable<OptionEdit["call"]>,
): ts.Expression | undefined => {
  const at = file.getLineStarts()[line - 1];
  if (at === undefined) return undefined;
  const find = (node: ts.Node): ts.Expression | undefined =>
    ts.isCallExpression(node) &&
    node.getStart() <= at + column - 1 &&
    node.expression.getEnd() > at + column - 1
      ? node
      : ts.forEachChild(node, find);
  return find(file);
};

/** The object literal in a call's first argument, in a value, or in the variable that refers to it. */
const optionsOf = (file: ts.SourceFile, value: ts.Expression): ts.ObjectLiteralExpression | undefined => {
  if (ts.isObjectLiteralExpression(value)) return value;
  if (ts.isSatisfiesExpression(value) || ts.isAsExpression(value)) return optionsOf(file, value.expression);
  if (ts.isCallExpression(value)) {
    const [first] = value.arguments;
    return first === undefined ? undefined : optionsOf(file, first);
  }
  if (!ts.isIdentifier(value)) return undefined;
  const variable = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .find(({ name }) => ts.isIdentifier(name) && name.text === value.text);
  return variable?.initializer && optionsOf(file, variable.initializer);
};

const nameOf = ({ name }: ts.ObjectLiteralElementLike): string | undefined =>
  name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined;

const inserted = (
  source: string,
  file: ts.SourceFile,
  options: ts.ObjectLiteralExpression,
  name: string,
  value: unknown,
): string => {
  const { properties } = options;
  const last = properties.at(-1);
  const start = options.getStart(file);
  const style = styleOf(source);
  const property = (indent: string): string => {
    const key = `${propertyName(name)}: `;
    return `${key}${printValue(value, style, indent, key.length)}`;
  };
  if (last === undefined) {
    const comments = source.slice(start + 1, options.end - 1).trimEnd();
    if (comments === "")
      return `${source.slice(0, start)}{ ${property(indentAt(source, start))} }${source.slice(options.end)}`;
    const at = start + 1 + comments.length;
    const indent = indentAt(source, at);
    return `${source.slice(0, at)}\n${indent}${property(indent)},\n${indentAt(source, start)}${source.slice(options.end - 1)}`;
  }
  // Comments may follow on the line of the last option.
  const comments = ts.getTrailingCommentRanges(source, properties.end) ?? [];
  const line = source.indexOf("\n", comments.at(-1)?.end ?? properties.end);
  const end = last.getEnd();
  if (line < 0 || line >= options.end)
    return `${source.slice(0, end)}, ${property(indentAt(source, start))}${source.slice(end)}`;
  const indent = indentAt(source, last.getStart());
  const comma = properties.hasTrailingComma ? "" : ",";
  return `${source.slice(0, properties.end)}${comma}${source.slice(properties.end, line)}\n${indent}${property(indent)},${source.slice(line)}`;
};

const removed = (
  source: string,
  { properties }: ts.ObjectLiteralExpression,
  property: ts.ObjectLiteralElementLike,
): string => {
  const before = source.slice(0, property.getFullStart());
  const after = source.slice(property.getEnd());
  const isLast = properties.length > 1 && properties.at(-1) === property;
  return isLast ? `${before.replace(/,$/, "")}${after}` : `${before}${after.replace(/^\s*,/, "")}`;
};

/** The indentation of the line that contains a position. */
const indentAt = (source: string, offset: number): string =>
  /^[ \t]*/.exec(source.slice(source.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";

interface Style {
  readonly quote: '"' | "'";
  readonly indent: string;
}

const styleOf = (source: string): Style => ({
  quote: source.split("'").length > source.split('"').length ? "'" : '"',
  indent: /^(\t| {2,8})\S/m.exec(source)?.[1] ?? "  ",
});

const longestLine = 100;

/**
 * JSON as TypeScript, on one line if it fits. @param used The number of characters before the value on its line,
 * without the indentation.
 */
const printValue = (value: unknown, style: Style, indent: string, used: number): string => {
  const short = printShort(value, style);
  if (indent.length + used + short.length < longestLine || typeof value !== "object" || value === null)
    return short;
  const inner = indent + style.indent;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const entries = Array.isArray(value)
    ? value.map((one: unknown) => ["", one] as const)
    : Object.entries(value).map(([key, one]: [string, unknown]) => [`${propertyName(key)}: `, one] as const);
  const lines = entries.map(([key, one]) => `${inner}${key}${printValue(one, style, inner, key.length)},\n`);
  return `${open}\n${lines.join("")}${indent}${close}`;
};

const printShort = (value: unknown, style: Style): string => {
  if (Array.isArray(value)) return `[${value.map((one) => printShort(one, style)).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, one]) => `${propertyName(key)}: ${printShort(one, style)}`,
    );
    return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  }
  if (typeof value !== "string" || style.quote === '"') return JSON.stringify(value);
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
};
