import type { WrittenModule } from "../translate-functions.ts";
import { leaves, productions } from "./productions.ts";
import { inputNames, parameterType, preamble } from "./random-program.ts";

const exampleOf = (template: string): string =>
  template.replaceAll(/\{([A-Z]+)(?:>([A-Z]+))?\}/g, (_, from: string, to: string | undefined) => {
    const value = leaves[(to ?? from) as keyof typeof leaves][0] ?? "";
    return to === undefined ? value : `(${from === "NN" || from === "NI" ? "p, q" : "p"}) => ${value}`;
  });

/** One function for each production, with the simplest operands. */
export const productionExamples: WrittenModule = {
  preamble,
  functions: [
    ...new Set(Object.values(productions).flatMap((all) => all.map(([, template]) => template))),
  ].map((template, at) => ({
    name: `f${at}`,
    text: `export const f${at} = ({ ${inputNames.join(", ")} }: ${parameterType}) => ({ out: ${exampleOf(template)} });`,
  })),
};
