import type { Declaration } from "../ir/code.ts";
import { pyAssign, pyDo, pyVariable } from "../python/build.ts";
import type { PyStatement } from "../python/syntax.ts";
import { written } from "./statements/lower-assign.ts";
import type { LoweringState } from "./lowering-state.ts";

/** Lowers the constants and functions of a module, each with the code that must come before it. */
export const lowerModule = (
  lowering: LoweringState,
  declarations: readonly Declaration[],
): readonly PyStatement[] => {
  const statements = lowerDeclarations(lowering, declarations);
  return [...lowering.patterns.statements(), ...statements];
};

const lowerDeclarations = (
  lowering: LoweringState,
  declarations: readonly Declaration[],
): readonly PyStatement[] =>
  declarations.flatMap(({ variable, value, at, comments }) => {
    const { made, before } = lowering.beside(() =>
      value.kind === "lambda"
        ? pyDo(lowering.define(variable, value))
        : pyAssign(
            pyVariable(variable),
            value.kind === "regexp"
              ? lowering.patterns.constant(lowering, value)
              : written(lowering, variable, value),
          ),
    );
    const [first, ...rest] = [...before, made];
    return [
      { ...(first ?? made), at, comments },
      ...rest.map((statement) => ({ ...statement, at: statement.at ?? at })),
    ];
  });
