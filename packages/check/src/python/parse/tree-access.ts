import type { SyntaxNode } from "@lezer/common";
import type { Expression } from "../syntax.ts";

/** The children of a node without comments, but including tokens such as "(". */
export const childrenOf = (node: SyntaxNode): readonly SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (child.name !== "Comment") children.push(child);
  return children;
};

export const childNamed = (node: SyntaxNode, name: string): SyntaxNode | undefined =>
  childrenOf(node).find((child) => child.name === name);

/** Splits nodes at separators, which are dropped. */
export const splitAt = (
  nodes: readonly SyntaxNode[],
  isSeparator: (node: SyntaxNode) => boolean,
): readonly (readonly SyntaxNode[])[] => {
  const groups: SyntaxNode[][] = [[]];
  for (const node of nodes)
    if (isSeparator(node)) groups.push([]);
    else groups.at(-1)?.push(node);
  return groups;
};

export const isComma = ({ name }: SyntaxNode): boolean => name === ",";

/** A tree node that contains nothing of interest. */
export const opaque = ({ from, to, name }: SyntaxNode, parts: readonly Expression[] = []): Expression => ({
  kind: "other",
  what: name,
  parts,
  from,
  to,
});
