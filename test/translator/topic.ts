import type { InputType } from "./typed-inputs.ts";
import type { WrittenFunction } from "./translate-functions.ts";

/** Cases about one topic: TypeScript code over the same inputs. */
export interface Topic {
  readonly about: string;
  readonly inputs: Readonly<Record<string, InputType>>;
  /** Types, constants and helpers that the cases use. */
  readonly preamble?: string;
  /** Expressions, or statements that return a record. */
  readonly cases: readonly string[];
}

/** The cases of a topic as functions. */
export const functionsOf = ({ inputs, cases }: Topic, prefix: string): readonly WrittenFunction[] => {
  const names = Object.keys(inputs);
  const types = names.map((name) => `${name}: ${inputs[name]?.type}`);
  return cases.map((code, at) => {
    const name = `${prefix}${at + 1}`;
    const used = names.filter((input) => new RegExp(`\\b${input}\\b`).test(code));
    const parameter = `{ ${used.join(", ")} }: { ${types.join("; ")} }`;
    const body = isStatements(code) ? `{\n  ${code.replaceAll("\n", "\n  ")}\n}` : `({ out: ${code} })`;
    return { name, text: `export const ${name} = (${parameter}) => ${body};` };
  });
};

const isStatements = (code: string): boolean =>
  /^(?:const|let|var|class|outer:|function\*?|counter|xs\.push|delete|for|if|switch|while|try|return|\/\/)\b/.test(
    code,
  );
