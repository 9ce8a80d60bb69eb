import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findTensorConditions, openSources, translateRun } from "@tritype/translator";
import { findTypeErrors, type TypeError } from "../../packages/project/src/analyse/type-errors.ts";
import type { Answer, Question } from "../../packages/project/src/analyse/analyse-files.ts";
import type { ProjectFixture } from "../fixtures/project.ts";

/** A question about all steps in the project's files, which are written as `export const name = step({`. */
export const questionOf = ({ root }: ProjectFixture): Question => {
  const files = readdirSync(root).filter((file) => file.endsWith(".ts") && file !== "pipeline.config.ts");
  const requests = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((text, index) => {
        const step = /(\w+) = step\(\{/.exec(text)?.[1];
        const at = { file, line: index + 1, column: text.indexOf("step(") + 1 };
        const json = { inputs: [], outputs: [] };
        return step === undefined
          ? []
          : [{ at, options: { step, reserved: [], needs: [], per: "row" as const, json } }];
      }),
  );
  return { requests, deciding: files };
};

/** The parts of an answer that a build uses. */
export type Result = Pick<Answer, "translations" | "typeErrors" | "conditions">;

export const resultOf = ({ translations, typeErrors, conditions }: Answer): Result => ({
  translations,
  typeErrors,
  conditions,
});

/** The results of one program with all files on disk. */
export const undivided = ({ root }: ProjectFixture, { requests, deciding }: Question): Result => {
  const files = [...new Set([...requests.map(({ at }) => at.file), ...deciding])].toSorted();
  const sources = openSources(root, { files });
  const found = files.map((file) => {
    const steps = requests
      .filter(({ at }) => at.file === file)
      .map(({ at, options }) => ({ at, translation: translateRun(sources, at, options) }));
    const typeErrors = findTypeErrors(sources, steps);
    return { steps, typeErrors, conditions: findTensorConditions(sources, [file]) };
  });
  const translations = new Map(
    found.flatMap(({ steps }) => steps.map(({ at, translation }) => [JSON.stringify(at), translation])),
  );
  return {
    translations: requests.flatMap(({ at }) => translations.get(JSON.stringify(at)) ?? []),
    typeErrors: sortedOnce(found.flatMap(({ typeErrors }) => typeErrors)),
    conditions: found.flatMap(({ conditions }) => conditions),
  };
};

const sortedOnce = (errors: readonly TypeError[]): readonly TypeError[] =>
  [...new Map(errors.map((error) => [JSON.stringify(error), error])).values()].toSorted(
    ({ at: a }, { at: b }) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  );
