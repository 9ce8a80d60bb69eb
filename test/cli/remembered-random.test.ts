import { expect, test } from "vitest";
import { analyseFiles } from "../../packages/project/src/analyse/analyse-files.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { randomOf, upTo } from "../translator/hostile.ts";
import { editSources, randomSources, randomTsconfig, type RandomSources, stub } from "./random-sources.ts";
import { questionOf, resultOf, undivided } from "./undivided.ts";

const long = process.env["TRITYPE_MEMORY"] === "long";
const edits = long ? 3000 : 20;
const seed = Number(process.env["TRITYPE_SEED"] ?? 20_261_126);
const perProject = 25;

const write = (project: ProjectFixture, sources: RandomSources, before?: RandomSources): void => {
  for (const [path, statements] of sources)
    if (statements !== before?.get(path)) project.write(path, `${statements.join("\n\n")}\n`);
};

const totals = { edits: 0, projects: 0, steps: 0, analysed: 0, translated: 0 };

/** Expects the results of one program with all files. */
const expectSame = async (project: ProjectFixture, what: string): Promise<void> => {
  const question = questionOf(project);
  const answer = await analyseFiles(project.root, question);
  expect(resultOf(answer), what).toEqual(undivided(project, question));
  if (totals.edits === 0) return;
  totals.steps += question.requests.length;
  totals.analysed += answer.steps.length;
  totals.translated += answer.translations.filter(({ translated }) => translated !== undefined).length;
};

test(
  `after each of ${edits} random edits, the answers equal those of a program with all files`,
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
      for (let edit = 0; edit < perProject && totals.edits < edits; edit++) {
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
    expect(totals.analysed, "answers are remembered").toBeLessThan(0.7 * totals.steps);
    expect(totals.translated, "functions are translated").toBeGreaterThan(0.2 * totals.steps);
  },
  long ? 7_200_000 : 300_000,
);
