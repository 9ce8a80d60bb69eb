/**
 * The parts of a Python file that the rules need: names, calls and control flow. Operators and patterns are opaque.
 * `walk.ts` skips annotations.
 */
export interface PythonModule {
  readonly body: readonly Statement[];
}

/** `from` and `to` are offsets in the source. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

export type Expression = Place &
  (
    | { readonly kind: "name"; readonly name: string }
    /** `value` is undefined for f-strings and bytes. */
    | { readonly kind: "text"; readonly value: string | undefined; readonly parts: readonly Expression[] }
    | { readonly kind: "number"; readonly value: number }
    | { readonly kind: "constant"; readonly value: "None" | "True" | "False" | "..." }
    | { readonly kind: "attribute"; readonly object: Expression; readonly name: string }
    | { readonly kind: "index"; readonly object: Expression; readonly index: readonly Expression[] }
    | { readonly kind: "call"; readonly callee: Expression; readonly args: readonly Argument[] }
    | { readonly kind: "sequence"; readonly shape: SequenceShape; readonly items: readonly Expression[] }
    | { readonly kind: "dict"; readonly entries: readonly DictEntry[] }
    | {
        readonly kind: "comprehension";
        readonly element: readonly Expression[];
        readonly clauses: readonly Clause[];
      }
    | { readonly kind: "lambda"; readonly parameters: readonly Parameter[]; readonly body: Expression }
    /** `name := value`. */
    | { readonly kind: "named"; readonly target: Expression; readonly value: Expression }
    /** Operators, conditionals, await, starred values, yield: their operands, in source order. */
    | { readonly kind: "other"; readonly what: string; readonly parts: readonly Expression[] }
  );

export type SequenceShape = "list" | "tuple" | "set";

export interface Argument {
  /** The name of a keyword argument. */
  readonly name: string | undefined;
  readonly star: "" | "*" | "**";
  readonly value: Expression;
}

export interface DictEntry {
  /** undefined for `**value`. */
  readonly key: Expression | undefined;
  readonly value: Expression;
}

/** `for target in source`; without a target, `if source`. */
export interface Clause {
  readonly target: Expression | undefined;
  readonly source: Expression;
}

export interface Parameter {
  readonly name: string;
  readonly annotation: Expression | undefined;
  readonly value: Expression | undefined;
}

export interface FunctionDefinition extends Place {
  readonly kind: "function";
  readonly name: string;
  readonly namePlace: Place;
  readonly parameters: readonly Parameter[];
  /** The annotation after `->`. */
  readonly returns: Expression | undefined;
  readonly decorators: readonly Expression[];
  readonly body: readonly Statement[];
}

export interface ClassDefinition extends Place {
  readonly kind: "class";
  readonly name: string;
  readonly namePlace: Place;
  readonly bases: readonly Argument[];
  readonly decorators: readonly Expression[];
  readonly body: readonly Statement[];
}

export interface ForLoop extends Place {
  readonly kind: "for";
  readonly target: Expression;
  readonly source: Expression;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

export type Statement =
  | ForLoop
  | FunctionDefinition
  | ClassDefinition
  | (Place &
      (
        | { readonly kind: "expression"; readonly value: Expression }
        /** `a = b = value`, or with an `operator` such as `+=`; an annotation alone has no value. */
        | {
            readonly kind: "assign";
            readonly targets: readonly Expression[];
            readonly operator: string;
            readonly annotation: Expression | undefined;
            readonly value: Expression | undefined;
          }
        | { readonly kind: "return"; readonly value: Expression | undefined }
        /** `while`, `if` with all of its branches, `try` with all of its handlers, `with`, `match`. */
        | { readonly kind: "block"; readonly what: BlockKind; readonly branches: readonly Branch[] }
        | { readonly kind: "import"; readonly names: readonly ImportedName[]; readonly star: boolean }
        | { readonly kind: "scope"; readonly names: readonly string[] }
        | { readonly kind: "delete"; readonly targets: readonly Expression[] }
        | { readonly kind: "raise"; readonly parts: readonly Expression[] }
        /** `pass`, `break`, `continue`, `assert`. */
        | { readonly kind: "plain"; readonly what: string; readonly parts: readonly Expression[] }
      ));

export type BlockKind = "while" | "if" | "try" | "with" | "match";

export interface Branch {
  /** `if`, `elif`, `else`, `try`, `except`, `finally`, `while`, `with`, `case`. */
  readonly keyword: string;
  readonly parts: readonly Expression[];
  /** Names that the branch binds: `with … as x`, `except … as e`, or the captures in a pattern. */
  readonly binds: readonly Expression[];
  readonly body: readonly Statement[];
}

export interface ImportedName {
  /** The name under which this file imports it. */
  readonly name: string;
  /** `a.b` of `import a.b as name` and of `from a import b as name`; `a` of `import a.b`. */
  readonly source: string;
}
