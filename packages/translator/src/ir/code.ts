import type { Span } from "@tritype/core";
import type { ValueType } from "./value-type.ts";
import type { Scope, Variable } from "./variable.ts";

interface Node {
  /** The narrowed type at this place. */
  readonly type: ValueType;
  readonly at: Span;
  /** Whether `!` or `as` asserts that the value is present, although its type allows it to be missing. */
  readonly claimed?: true;
}

/** An expression of the user's code, with resolved names and types. */
export type Expression =
  | (Node & { readonly kind: "text"; readonly value: string })
  | (Node & { readonly kind: "number"; readonly value: number })
  | (Node & { readonly kind: "bigint"; readonly digits: string })
  | (Node & { readonly kind: "constant"; readonly value: "true" | "false" | "null" | "undefined" })
  | (Node & { readonly kind: "variable"; readonly variable: Variable })
  | (Node & { readonly kind: "builtin"; readonly name: string })
  | (Node & { readonly kind: "template"; readonly parts: readonly (string | Expression)[] })
  | (Node & { readonly kind: "list"; readonly items: readonly Item[] })
  | (Node & { readonly kind: "record"; readonly entries: readonly Entry[] })
  | (Node & {
      readonly kind: "unary";
      readonly operator: "!" | "-" | "+" | "~" | "void";
      readonly operand: Expression;
    })
  | Binary
  | (Node & {
      readonly kind: "logical";
      readonly operator: "&&" | "||" | "??";
      readonly left: Expression;
      readonly right: Expression;
    })
  | (Node & {
      readonly kind: "conditional";
      readonly test: Expression;
      readonly whenTrue: Expression;
      readonly otherwise: Expression;
    })
  | (Node & {
      readonly kind: "typeof";
      readonly value: Expression;
      readonly is: string;
      readonly not: boolean;
    })
  | (Node & { readonly kind: "type name"; readonly value: Expression })
  | (Node & { readonly kind: "instance"; readonly value: Expression; readonly of: string })
  | Effect
  | Property
  | Element
  | (Node & { readonly kind: "call"; readonly callee: Expression; readonly args: readonly Item[] })
  | Invocation
  | Lambda
  | (Node & { readonly kind: "regexp"; readonly source: string; readonly flags: string })
  | Chain
  | (Node & { readonly kind: "refused" });

export interface Item {
  readonly spread: boolean;
  readonly value: Expression;
}
export type Entry =
  | { readonly key: string | Expression; readonly value: Expression }
  | { readonly spread: Expression };
export type Binary = Node & {
  readonly kind: "binary";
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
  /** Set for the operator `in`. */
  readonly named?: NamedRead;
};
export type Arithmetic = "+" | "-" | "*" | "/" | "%" | "**" | "&" | "|" | "^" | "<<" | ">>" | ">>>";
export type BinaryOperator = Arithmetic | "===" | "!==" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in";
export type Property = Node & {
  readonly kind: "property";
  readonly object: Expression;
  readonly name: string;
};
export type Element = Node & {
  readonly kind: "element";
  readonly object: Expression;
  readonly index: Expression;
  /** Whether `!` asserts that the element is present. If it is missing, JavaScript computes with undefined, which becomes NaN. */
  readonly asserted?: true;
  /** Set if a record is read by a string, which must not be an inherited name. */
  readonly named?: NamedRead;
};
/** A place where a property of a record is read by a string. */
export interface NamedRead {
  readonly id: number;
  /** Whether the record can be evaluated twice, so that the key can be checked separately. */
  readonly steady: boolean;
  /** Whether the read may be skipped, like everything after a `?.`. */
  readonly chained: boolean;
}
/** An assignment, `i++` or `--i` whose value is used: the new value or the previous one. */
export type Effect = Node & {
  readonly kind: "effect";
  readonly statement: Statement;
  readonly gives: "new" | "old";
};
/** A call of a JavaScript built-in: a method of a value, a function of a namespace, a constructor. */
export type Invocation = Node & {
  readonly kind: "invocation";
  /** The row of the table: "string.slice", "Math.floor", "new Map". */
  readonly row: string;
  readonly receiver: Expression | undefined;
  readonly args: readonly Item[];
};
/** `object?.rest`. `link` is the chain with the variable `held` in place of `object`; undefined if `object` is missing. */
export type Chain = Node & {
  readonly kind: "chain";
  readonly object: Expression;
  readonly held: Variable;
  readonly link: Expression;
};
export type Lambda = Node & {
  readonly kind: "lambda";
  readonly scope: Scope;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
  /** Number of its parameters, or of the parameters in the type that the context expects, whichever is larger. */
  readonly arity: number;
  readonly result: ValueType;
  /** The body, if it is a single expression. */
  readonly value: Expression | undefined;
};
export interface Parameter {
  readonly pattern: Pattern;
  readonly fallback: Expression | undefined;
  readonly optional: boolean;
  readonly rest: boolean;
}
/** The target of a declaration or of a destructuring assignment. */
export type Pattern =
  | { readonly kind: "bind"; readonly variable: Variable; readonly at: Span }
  | { readonly kind: "place"; readonly target: Expression; readonly at: Span }
  | {
      readonly kind: "items";
      readonly items: readonly (PatternPart | undefined)[];
      readonly rest: Pattern | undefined;
      readonly type: ValueType;
      readonly at: Span;
    }
  | {
      readonly kind: "fields";
      readonly fields: readonly (PatternPart & { readonly name: string })[];
      readonly rest: Pattern | undefined;
      readonly type: ValueType;
      readonly at: Span;
    };
export interface PatternPart {
  readonly pattern: Pattern;
  readonly fallback: Expression | undefined;
  /** The type before the fallback is applied. */
  readonly type: ValueType;
}

/** A statement of the user's code. `comments`: the comment lines before it. */
export interface Statement {
  readonly at: Span;
  readonly comments: readonly string[];
  readonly does: Does;
}

type Does =
  | { readonly kind: "declare"; readonly pattern: Pattern; readonly value: Expression | undefined }
  | { readonly kind: "function"; readonly variable: Variable; readonly lambda: Lambda }
  | {
      readonly kind: "assign";
      readonly target: Pattern;
      readonly operator: Arithmetic | "??" | "||" | "&&" | undefined;
      readonly value: Expression;
    }
  | { readonly kind: "count"; readonly target: Expression; readonly by: 1 | -1 }
  | { readonly kind: "delete"; readonly target: Expression }
  | { readonly kind: "expression"; readonly value: Expression }
  | {
      readonly kind: "if";
      readonly test: Expression;
      readonly whenTrue: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly kind: "for of";
      readonly scope: Scope;
      readonly pattern: Pattern;
      readonly iterable: Expression;
      readonly body: readonly Statement[];
      readonly label?: string;
    }
  | For
  | {
      readonly kind: "while" | "do";
      readonly test: Expression;
      readonly body: readonly Statement[];
      readonly label?: string;
    }
  | { readonly kind: "switch"; readonly value: Expression; readonly cases: readonly Case[] }
  | { readonly kind: "return"; readonly value: Expression | undefined }
  | { readonly kind: "throw"; readonly value: Expression }
  | { readonly kind: "break" | "continue"; readonly label?: string }
  | {
      readonly kind: "try";
      readonly body: readonly Statement[];
      readonly caught: Variable | undefined;
      readonly handler: readonly Statement[] | undefined;
      readonly always: readonly Statement[];
    }
  | { readonly kind: "block"; readonly body: readonly Statement[] };

export interface For {
  readonly kind: "for";
  readonly scope: Scope;
  readonly start: readonly Statement[];
  readonly test: Expression | undefined;
  readonly step: readonly Statement[];
  readonly body: readonly Statement[];
  readonly label?: string;
}

export interface Case {
  /** The labels of the case; undefined stands for `default`. */
  readonly labels: readonly (Expression | undefined)[];
  readonly body: readonly Statement[];
  readonly at: Span;
}

/** A constant or function of the module. */
export interface Declaration {
  readonly variable: Variable;
  readonly value: Expression;
  readonly at: Span;
  readonly comments: readonly string[];
}
