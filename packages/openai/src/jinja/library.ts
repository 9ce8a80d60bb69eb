import * as jinja from "@huggingface/jinja";

/** A value while a template runs. */
export interface Value {
  readonly type: string;
  readonly value: unknown;
  __bool__(): { readonly value: boolean };
}

/** A node of a parsed template, of which only some fields exist. */
export interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Token {
  readonly type: string;
  readonly value: string;
}

export interface Environment {
  set(name: string, value: unknown): unknown;
}

/** The parts that are used. The library's own types import files without extensions, which Node's resolution does not find. */
interface Library {
  readonly Environment: new () => Environment;
  readonly Interpreter: new (
    environment: Environment,
  ) => {
    run(program: Node): Value;
    evaluate(statement: Node | undefined, environment: Environment): Value;
  };
  readonly Template: new (template: string) => { render(variables: object): string };
  tokenize(
    template: string,
    options: { readonly lstrip_blocks: boolean; readonly trim_blocks: boolean },
  ): readonly Token[];
  parse(tokens: readonly Token[]): Node;
}

export const library: Library = jinja as unknown as Library;
