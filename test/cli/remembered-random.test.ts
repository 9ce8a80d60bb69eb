import { expect, test } from "vitest";
import { analyseFiles } from "../../packages/project/src/analyse/analyse-files.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { randomOf, upTo } from "../translator/hostile.ts";
import { editSources, randomSources, randomTsconfig, type RandomSources, stub } from "./random-sources.ts";
import { questionOf, resultOf, undivided } from "./undivided.ts";

const long = process.env["TRITYPE_MEMORY"] === "long";
const edits = long ? 3000 : 60;
const seed = Number(process.env["TRITYPE_SEED"] ?? 20_261_126);
const perProject = 25;

const write = (project: ProjectFixture, sources: RandomSources, before?: RandomSources): void => {
  for (const [path, statements] of sources)
    if (statements !== before?.get(path)) project.write(path, `${statements.join("\n\n")}\n`);
};

const totals = { edits: 0, projects: 0, steps: 0, analysed: 0, translated: 0, errors: 0, conditions: 0 };

/** Expects the answers of an undivided program. */
const expectSame = async (project: ProjectFixture, what: string): Promise<void> => {
  const question = questionOf(project);
  const answer = await analyseFiles(project.root, question);
  const { steps, translations, typeErrors, conditions } = answer;
  expect(resultOf(answer), what).toEqual(undivided(project, question));
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
    // Most answers are remembered, most functions are translated, and there is something to complain about.
    expect(totals.analysed).toBeLessThan(0.6 * totals.steps);
    expect(totals.translated).toBeGreaterThan(0.3 * totals.steps);
    expect(Math.min(totals.errors, totals.conditions)).toBeGreaterThan(0);
  },
  long ? 7_200_000 : 120_000,
);
