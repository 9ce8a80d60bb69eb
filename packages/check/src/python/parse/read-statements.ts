import type { SyntaxNode } from "@lezer/common";
import {
  isExpression,
  readAnnotation,
  readArguments,
  readExpression,
  readItems,
  readParameters,
  readTuple,
} from "./read-expressions.ts";
import type { BlockKind, Branch, Expression, ImportedName, Statement } from "../syntax.ts";
import { childNamed, childrenOf, isComma, opaque, splitAt } from "./tree-access.ts";

type Reader = (node: SyntaxNode, text: string, decorators: readonly Expression[]) => readonly Statement[];

/** The statements of a module or of a body. */
export const readBlock = (node: SyntaxNode, text: string): readonly Statement[] =>
  childrenOf(node)
    .filter(({ name }) => name !== ":")
    .flatMap((child) => readStatement(child, text, []));

const readStatement: Reader = (node, text, decorators) =>
  Object.hasOwn(readers, node.name)
    ? (readers[node.name] as Reader)(node, text, decorators)
    : [{ kind: "plain", what: node.name, parts: readItems(childrenOf(node), text), ...place(node) }];

const place = ({ from, to }: SyntaxNode) => ({ from, to });

const readGroup: Reader = (node, text) =>
  childrenOf(node)
    .filter(({ name }) => name !== ";")
    .flatMap((child) => readStatement(child, text, []));

const readDecorated: Reader = (node, text) => {
  const children = childrenOf(node);
  const decorators = children
    .filter(({ name }) => name === "Decorator")
    .map((decorator) => opaque(decorator, readItems(childrenOf(decorator), text)));
  return children
    .filter(({ name }) => name !== "Decorator")
    .flatMap((child) => readStatement(child, text, decorators));
};

const readFunction: Reader = (node, text, decorators) => [
  {
    kind: "function",
    ...readNamed(node, text),
    parameters: readParameters(childNamed(node, "ParamList"), text),
    returns: readAnnotation(childrenOf(node), text),
    decorators,
  },
];

const readClass: Reader = (node, text, decorators) => {
  const bases = childNamed(node, "ArgList");
  return [
    {
      kind: "class",
      ...readNamed(node, text),
      bases: bases === undefined ? [] : readArguments(bases, text),
      decorators,
    },
  ];
};

/** The name, body and place of a function or class. */
const readNamed = (node: SyntaxNode, text: string) => {
  const name = childNamed(node, "VariableName") ?? node;
  return {
    name: text.slice(name.from, name.to),
    namePlace: place(name),
    body: readBody(node, text),
    ...place(node),
  };
};

const readBody = (node: SyntaxNode, text: string): readonly Statement[] => {
  const body = childNamed(node, "Body");
  return body === undefined ? [] : readBlock(body, text);
};

const readExpressionStatement: Reader = (node, text) => [
  { kind: "expression", value: readTuple(childrenOf(node), text), ...place(node) },
];

const readAssign: Reader = (node, text) => {
  const children = childrenOf(node).filter(({ name }) => name !== "TypeDef");
  const operator = children.find(({ name }) => name === "AssignOp" || name === "UpdateOp");
  const groups = splitAt(children, ({ name }) => name === "AssignOp" || name === "UpdateOp").map((group) =>
    readTuple(group, text),
  );
  return [
    {
      kind: "assign",
      targets: operator === undefined ? groups : groups.slice(0, -1),
      operator: operator === undefined ? "=" : text.slice(operator.from, operator.to),
      annotation: readAnnotation(childrenOf(node), text),
      value: operator === undefined ? undefined : groups.at(-1),
      ...place(node),
    },
  ];
};

const readReturn: Reader = (node, text) => {
  const values = childrenOf(node).slice(1);
  return [
    { kind: "return", value: values.length === 0 ? undefined : readTuple(values, text), ...place(node) },
  ];
};

const readFor: Reader = (node, text) => {
  const children = childrenOf(node);
  const start = children.findIndex(({ name }) => name === "for");
  const inside = children.findIndex(({ name }) => name === "in");
  const bodies = children.filter(({ name }) => name === "Body").map((body) => readBlock(body, text));
  return [
    {
      kind: "for",
      target: readTuple(children.slice(start + 1, inside), text),
      source: readTuple(
        children.slice(inside + 1).filter((n) => isExpression(n) || isComma(n)),
        text,
      ),
      body: bodies[0] ?? [],
      otherwise: bodies[1] ?? [],
      ...place(node),
    },
  ];
};

const keywords = new Set(["if", "elif", "else", "try", "except", "finally", "while", "with"]);

const block =
  (what: BlockKind): Reader =>
  (node, text) => {
    const branches: Branch[] = [];
    let keyword: string = what;
    let head: SyntaxNode[] = [];
    for (const child of childrenOf(node)) {
      if (keywords.has(child.name)) [keyword, head] = [child.name, []];
      else if (child.name === "Body") branches.push(readBranch(keyword, head, child, text));
      else head.push(child);
    }
    return [{ kind: "block", what, branches, ...place(node) }];
  };

const readBranch = (keyword: string, head: readonly SyntaxNode[], body: SyntaxNode, text: string): Branch => {
  const bound = new Set(head.filter((_, i) => head[i - 1]?.name === "as"));
  return {
    keyword,
    parts: readItems(
      head.filter((node) => !bound.has(node)),
      text,
    ),
    binds: [...bound].map((node) => readExpression(node, text)),
    body: readBlock(body, text),
  };
};

const readMatch: Reader = (node, text) => {
  const subject = childrenOf(node).filter(isExpression);
  const clauses = childrenOf(childNamed(node, "MatchBody") ?? node).filter(
    ({ name }) => name === "MatchClause",
  );
  const branches = clauses.map((clause): Branch => {
    const guard = childNamed(clause, "Guard");
    return {
      keyword: "case",
      parts: guard === undefined ? [] : readItems(childrenOf(guard), text),
      binds: childrenOf(clause).flatMap((child) =>
        child.name === "Body" || child.name === "Guard" ? [] : namesIn(child, text),
      ),
      body: readBody(clause, text),
    };
  });
  const parts = readItems(
    subject.filter(({ name }) => name !== "MatchBody"),
    text,
  );
  return [
    {
      kind: "block",
      what: "match",
      branches: [{ keyword: "match", parts, binds: [], body: [] }, ...branches],
      ...place(node),
    },
  ];
};

/** Every name in a pattern counts as bound, because classes and constants in patterns are not distinguished. */
const namesIn = (node: SyntaxNode, text: string): readonly Expression[] =>
  node.name === "VariableName"
    ? [readExpression(node, text)]
    : childrenOf(node).flatMap((child) => namesIn(child, text));

const readImport: Reader = (node, text) => {
  const children = childrenOf(node);
  const from = children[0]?.name === "from";
  const start = children.findIndex(({ name }) => name === "import");
  const listed = children.slice(start + 1).filter(({ name }) => name !== "(" && name !== ")");
  const module = children
    .slice(1, Math.max(start, 1))
    .map((node) => text.slice(node.from, node.to))
    .join("");
  const names = splitAt(listed, isComma).flatMap((group): readonly ImportedName[] => {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last?.name !== "VariableName") return [];
    const renamed = group.findIndex(({ name }) => name === "as");
    const path = (renamed < 0 ? group : group.slice(0, renamed))
      .map((node) => text.slice(node.from, node.to))
      .join("");
    const bound = renamed < 0 && !from ? first : last;
    const source = from ? `${module}.${path}` : renamed < 0 ? text.slice(first.from, first.to) : path;
    return [{ name: text.slice(bound.from, bound.to), source }];
  });
  return [{ kind: "import", names, star: listed.some(({ name }) => name === "*"), ...place(node) }];
};

const readScope: Reader = (node, text) => {
  const names = childrenOf(node).filter(({ name }) => name === "VariableName");
  return [{ kind: "scope", names: names.map(({ from, to }) => text.slice(from, to)), ...place(node) }];
};

const readDelete: Reader = (node, text) => [
  { kind: "delete", targets: readItems(childrenOf(node), text), ...place(node) },
];

const readRaise: Reader = (node, text) => [
  { kind: "raise", parts: readItems(childrenOf(node).filter(isExpression), text), ...place(node) },
];

const readers: Readonly<Record<string, Reader>> = {
  StatementGroup: readGroup,
  DecoratedStatement: readDecorated,
  FunctionDefinition: readFunction,
  ClassDefinition: readClass,
  ExpressionStatement: readExpressionStatement,
  AssignStatement: readAssign,
  UpdateStatement: readAssign,
  ReturnStatement: readReturn,
  ForStatement: readFor,
  IfStatement: block("if"),
  WhileStatement: block("while"),
  TryStatement: block("try"),
  WithStatement: block("with"),
  MatchStatement: readMatch,
  ImportStatement: readImport,
  ScopeStatement: readScope,
  TypeDefinition: readScope,
  DeleteStatement: readDelete,
  RaiseStatement: readRaise,
};
