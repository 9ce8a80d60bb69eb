import { ts } from "ts-morph";

/** Lines of the comments before a statement, without comment marks and without directives for tools. */
export const commentsBefore = (node: ts.Node): readonly string[] => {
  const file: ts.SourceFile | undefined = node.getSourceFile();
  if (file === undefined || node.pos < 0) return [];
  const text = file.text;
  return (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [])
    .map(({ pos, end }) => text.slice(pos, end))
    .flatMap(linesOf)
    .filter((line) => !directive.test(line));
};

const directive = /^(?:@ts-|eslint|oxlint|biome|prettier|tslint|#region|#endregion|c8 |v8 )/;

const linesOf = (comment: string): readonly string[] => {
  if (comment.startsWith("//")) return [comment.replace(/^\/\/+ ?/, "").trimEnd()];
  const lines = comment
    .replace(/^\/\*+/, "")
    .replace(/\*+\/$/, "")
    .split(/\r\n?|[\n\u2028\u2029]/)
    .map((line) => line.replace(/^\s*\* ?/, "").trim());
  return lines.slice(
    lines.findIndex((line) => line !== ""),
    lines.findLastIndex((line) => line !== "") + 1,
  );
};
