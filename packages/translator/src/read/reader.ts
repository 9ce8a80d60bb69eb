import type { Span } from "@tritype/core";
import type { ts } from "ts-morph";
import type { Expression, Lambda, NamedRead, Pattern, Statement } from "../ir/code.ts";
import type { ValueType } from "../ir/value-type.ts";
import type { Scope, Variable } from "../ir/variable.ts";
import type { Causes, RefusalCode } from "../refusals/refusals.ts";

/** `o[k]` or `k in o`. */
export type NamedNode = ts.ElementAccessExpression | ts.BinaryExpression;

/** The functions that read the user's syntax. Each file in this folder implements one of these functions. */
export interface Reader {
  readonly checker: ts.TypeChecker;
  readonly at: (node: ts.Node) => Span;
  readonly typeOf: (node: ts.Node) => ValueType;
  /** The return type of a function. */
  readonly resultOf: (node: ts.FunctionLikeDeclaration) => ValueType;
  /** Records a refusal, and returns an expression in place of the refused code. */
  readonly refuse: (
    node: ts.Node,
    ...refusal: [code: RefusalCode, what: string, instead?: string, causes?: Causes]
  ) => Expression;
  readonly expression: (node: ts.Expression, scope: Scope) => Expression;
  readonly statements: (nodes: readonly ts.Statement[], scope: Scope) => readonly Statement[];
  /** An expression as a statement. */
  readonly effect: (node: ts.Expression, scope: Scope) => readonly Statement["does"][];
  readonly lambda: (node: ts.FunctionLikeDeclaration, scope: Scope) => Lambda;
  readonly pattern: (node: ts.BindingName, scope: Scope, kind: Variable["kind"]) => Pattern;
  /** Records the type that the result of a `JSON.parse` call is asserted to have. Both languages check the value. */
  readonly parsed: (call: ts.Expression, value: Expression, type: ValueType) => Expression;
  /** Notes that records may lack a property that their type has. */
  readonly mayLack: (name: string) => void;
  /** Records a variable of a function whose uses are replaced by its value. */
  readonly alias: (name: ts.Identifier, value: Expression) => void;
  /** The value of a member of an enum; undefined for anything else. */
  readonly enumMember: (node: ts.Expression) => Expression | undefined;
  /** Records that a property of a record is read by a string. */
  readonly namedRead: (node: NamedNode, object: ts.Expression) => NamedRead;
  /** Declares a variable of a function. */
  readonly declare: (name: ts.Identifier, scope: Scope, kind: Variable["kind"]) => Variable;
  /** The meaning of a name: a variable, a JavaScript built-in, or a refusal. */
  readonly name: (node: ts.Identifier) => Expression;
  /** The declaration of a name, after following imports. */
  readonly declarationOf: (node: ts.Identifier) => ts.Declaration | undefined;
  /** The meaning of a property of a namespace import; undefined for any other property. */
  readonly member: (node: ts.PropertyAccessExpression) => Expression | undefined;
}
