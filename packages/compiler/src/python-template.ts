/**
 * Python text with parts that are only known when it is emitted; `test/workspace/make-python.py` generates it from a
 * `.py` file with `import template`.
 * @typeParam Given The values that the file reads from `template`.
 */
export type PythonTemplate<Given> = readonly PythonPart<Given>[];

/** The values that a template needs. */
export type GivenOf<Template> = Template extends PythonTemplate<infer Given> ? Given : never;

type PythonPart<Given> =
  | string
  /** `template.x`; with an indent, it is a statement consisting of whole lines. */
  | { readonly given: keyof Given; readonly indent?: number }
  /** `if template.x:`, which also tests whether a string is present. */
  | {
      readonly if: keyof Given;
      readonly then: PythonTemplate<Given>;
      readonly else: PythonTemplate<Given>;
    };

/** The code of a template. */
export const printPython = <Given extends object>(template: PythonTemplate<Given>, given: Given): string =>
  template
    .map((part) => {
      if (typeof part === "string") return part;
      if ("if" in part) {
        const value = given[part.if];
        return printPython(value === false || value === undefined ? part.else : part.then, given);
      }
      const text = String(given[part.given]);
      return part.indent === undefined ? text : indented(text, part.indent);
    })
    .join("");

const indented = (text: string, indent: number): string =>
  text
    .split("\n")
    .map((line) => `${line === "" ? "" : " ".repeat(indent)}${line}\n`)
    .join("");
