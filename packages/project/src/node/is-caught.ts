import { readFileSync } from "node:fs";
import { ts } from "ts-morph";

/** Whether the same function catches errors from the call at this position. */
export const isCaught = (
  path: string,
  { line, column }: { readonly line: number; readonly column: number },
): boolean => {
  const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const position = (file.getLineStarts()[line - 1] ?? 0) + column;
  let isInside = false;
  const visit = (node: ts.Node): void => {
    if (position < node.getFullStart() || position >= node.getEnd()) return;
    if (
      ts.isTryStatement(node.parent) &&
      node === node.parent.tryBlock &&
      node.parent.catchClause !== undefined
    )
      isInside = true;
    else if (ts.isFunctionLike(node)) isInside = false;
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return isInside;
};
