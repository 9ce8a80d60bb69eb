import { join } from "node:path";
import { readdirSync, readFileSync } from "node:fs";
import {
  findTensorConditions,
  findTypeErrors,
  openSources,
  translateRun,
  type TypeError,
} from "@tritype/translator";
import { expect, test } from "vitest";
import {
  type Answer,
  analyseFiles,
  type Question,
} from "../../packages/project/src/analyse/analyse-files.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { randomOf, upTo } from "../translator/hostile.ts";
import { editSources, randomSources, randomTsconfig, type RandomSources, stub } from "./random-sources.ts";

const long = process.env["TRITYPE_MEMORY"] === "long";
const edits = Number(process.env["TRITYPE_EDITS"] ?? (long ? 3000 : 40));
const seed = Number(process.env["TRITYPE_SEED"] ?? 20_261_126);
const perProject = 25;

/** All steps in the project's folder: `export const name = step({`. */
const questionOf = ({ root }: ProjectFixture): Question => {
  const files = readdirSync(root).filter((file) => file.endsWith(".ts"));
  const requests = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((text, index) => {
        const name = /(\w+) = step\(\{/.exec(text)?.[1];
        const at = { file, line: index + 1, column: text.indexOf("step(") + 1 };
        const json = { inputs: [], outputs: [] };
        const options = { step: `${file} ${name}`, reserved: [], needs: [], per: "row" as const, json };
        return name === undefined ? [] : [{ at, options }];
      }),
  );
  return { requests, deciding: files };
};

type Result = Pick<Answer, "translations" | "typeErrors" | "conditions">;

/** The answers of one program with all files as they are on the disk. */
const undivided = ({ root }: ProjectFixture, { requests, deciding }: Question): Result => {
  const files = [...new Set([...requests.map(({ at }) => at.file), ...deciding])].toSorted();
  const sources = openSources(root, { files });
  const found = files.map((file) => {
    const steps = requests
      .filter(({ at }) => at.file === file)
      .map(({ at, options }) => ({ at, translation: translateRun(sources, at, options) }));
    const typeErrors = findTypeErrors(sources, steps);
    return { file, steps, typeErrors, conditions: findTensorConditions(sources, [file]) };
  });
  const places = new Map(
    found.flatMap(({ steps }) => steps.map(({ at, translation }) => [JSON.stringify(at), translation])),
  );
  return {
    translations: requests.flatMap(({ at }) => places.get(JSON.stringify(at)) ?? []),
    typeErrors: sortedOnce(found.flatMap(({ typeErrors }) => typeErrors)),
    conditions: found.flatMap(({ conditions }) => conditions),
  };
};

const sortedOnce = (errors: readonly TypeError[]): readonly TypeError[] =>
  [...new Map(errors.map((error) => [JSON.stringify(error), error])).values()].toSorted(
    ({ at: a }, { at: b }) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  );

const write = (project: ProjectFixture, sources: RandomSources, before?: RandomSources): void => {
  for (const [path, statements] of sources)
    if (statements !== before?.get(path)) project.write(path, `${statements.join("\n\n")}\n`);
};

const totals = { edits: 0, projects: 0, steps: 0, analysed: 0, translated: 0, errors: 0, conditions: 0 };

/** Expects the answers of an undivided program. */
const expectSame = async (project: ProjectFixture, what: string): Promise<void> => {
  const question = questionOf(project);
  const { steps, translations, typeErrors, conditions } = await analyseFiles(project.root, question);
  const wanted = undivided(project, question);
  expect({ translations, typeErrors, conditions }, what).toEqual(wanted);
  totals.steps += question.requests.length;
  totals.analysed += steps.length;
  totals.translated += translations.filter(({ translated }) => translated !== undefined).length;
  totals.errors += typeErrors.length;
  totals.conditions += conditions.length;
};

test(
  `after each of ${edits} random edits, the answers are those of a program with all files`,
  async () => {
    while (totals.edits < edits) {
      const own = seed + totals.projects;
      const random = randomOf(own);
      const project = makeProject({
        "node_modules/tritype/package.json":
          '{ "name": "tritype", "version": "1.0.0", "types": "index.d.ts" }\n',
        "node_modules/tritype/index.d.ts": stub,
        "package.json": '{ "type": "module" }\n',
        "tsconfig.json": randomTsconfig(random),
      });
      let sources = randomSources(random);
      write(project, sources);
      await expectSame(project, `TRITYPE_SEED=${own}`);
      for (let edit = 0; edit < perProject; edit++) {
        const before = sources;
        for (let more = upTo(random, 5); more >= 0; more--) {
          sources = editSources(random, sources);
          totals.edits++;
        }
        write(project, sources, before);
        if (random() < 0.04) project.write("tsconfig.json", randomTsconfig(random));
        await expectSame(project, `TRITYPE_SEED=${own}, edit ${edit}`);
      }
      totals.projects++;
      project.remove();
    }
    console.log(totals);
    expect(totals.analysed).toBeLessThan(0.6 * totals.steps);
    expect(totals.translated).toBeGreaterThan(0.2 * totals.steps);
  },
  long ? 7_200_000 : 120_000,
);
