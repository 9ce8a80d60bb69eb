import type { ts } from "ts-morph";
import type { Expression, Lambda, Pattern, Statement } from "../ir/code.ts";
import type { ValueType } from "../ir/value-type.ts";
import type { Scope, Variable } from "../ir/variable.ts";
import type { RefusalCode } from "../refusals/refusals.ts";
import type { Place } from "../translation.ts";

/** Functions that read the user's syntax; each file of this folder answers for one of them. */
export interface Reader {
  readonly checker: ts.TypeChecker;
  readonly at: (node: ts.Node) => Place;
  readonly typeOf: (node: ts.Node) => ValueType;
  /** What a function returns. */
  readonly resultOf: (node: ts.FunctionLikeDeclaration) => ValueType;
  /** Notes a refusal; what it returns stands in for what cannot be read. */
  readonly refuse: (node: ts.Node, code: RefusalCode, what: string, instead?: string) => Expression;
  readonly expression: (node: ts.Expression, scope: Scope) => Expression;
  readonly statements: (nodes: readonly ts.Statement[], scope: Scope) => readonly Statement[];
  readonly lambda: (node: ts.FunctionLikeDeclaration, scope: Scope) => Lambda;
  readonly pattern: (node: ts.BindingName, scope: Scope, kind: Variable["kind"]) => Pattern;
  /** Notes that a call of `JSON.parse` is taken for a type: both languages check it. */
  readonly parsed: (call: ts.Expression, value: Expression, type: ValueType) => Expression;
  /** Declares a variable of a function. */
  readonly declare: (name: ts.Identifier, scope: Scope, kind: Variable["kind"]) => Variable;
  /** What a name stands for: a variable, something JavaScript brings, or a refusal. */
  readonly name: (node: ts.Identifier) => Expression;
  /** What a property of a namespace import stands for; undefined for any other property. */
  readonly member: (node: ts.PropertyAccessExpression) => Expression | undefined;
}
