import { ts } from "ts-morph";

/** Position of a `step({…})` call: line and column from 1. */
interface At {
  readonly line: number;
  readonly column: number;
}

/** The `run` of the innermost call that has this property and contains the position. */
export const findRun = (
  file: ts.SourceFile,
  { line, column }: At,
): ts.Expression | ts.MethodDeclaration | undefined => {
  const starts = file.getLineStarts();
  const start = starts[line - 1];
  if (start === undefined) return undefined;
  const position = start + column - 1;
  let found: ts.Expression | ts.MethodDeclaration | undefined;
  const visit = (node: ts.Node): void => {
    if (position < node.getFullStart() || position > node.getEnd()) return;
    if (ts.isCallExpression(node) && node.getStart(file) <= position && position < node.getEnd())
      found = runOf(node) ?? found;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found ?? firstOnLine(file, line);
};

/** The `run` of the first call on a line. Needed if the position is that of code before the call. */
const firstOnLine = (file: ts.SourceFile, line: number): ts.Expression | ts.MethodDeclaration | undefined => {
  let found: ts.Expression | ts.MethodDeclaration | undefined;
  const visit = (node: ts.Node): void => {
    if (found !== undefined) return;
    if (
      ts.isCallExpression(node) &&
      file.getLineAndCharacterOfPosition(node.getStart(file)).line === line - 1
    )
      found = runOf(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

const runOf = (call: ts.CallExpression): ts.Expression | ts.MethodDeclaration | undefined => {
  for (const argument of call.arguments) {
    if (!ts.isObjectLiteralExpression(argument)) continue;
    for (const property of argument.properties) {
      if (property.name === undefined || property.name.getText() !== "run") continue;
      if (ts.isPropertyAssignment(property)) return property.initializer;
      if (ts.isShorthandPropertyAssignment(property)) return property.name;
      if (ts.isMethodDeclaration(property)) return property;
    }
  }
  return undefined;
};
