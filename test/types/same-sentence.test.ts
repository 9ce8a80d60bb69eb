import { readFileSync } from "node:fs";
import type { Diagnostic } from "@tritype/core";
import { judgeBuild } from "@tritype/project";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doubleModel } from "../fixtures/models.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { diagnosticsOf, messageOf } from "./type-check.ts";
import { wrongNames as names, wrongProgram as program } from "./wrong-programs.ts";

/** The text after ✗ in a program's errors, as users see it. */
const sentencesOf = (name: string): readonly string[] =>
  diagnosticsOf(program, `test/types/wrong/${name}`).flatMap((diagnostic) => {
    const sentence = /"✗ (.*?)"'/u.exec(messageOf(diagnostic))?.[1];
    return sentence === undefined ? [] : [sentence.replaceAll('\\"', '"')];
  });

const programs = names.map((name) => ({ name, sentences: sentencesOf(name) }));
/**
 * One program fails while `run` is recorded, before the compiler runs; the others have mistakes in calls, which the
 * compiler does not read.
 */
const notCompiled: readonly string[] = ["when-missing.ts", "stream-awaited.ts", "stream-inferred.ts"];
/** Every faulty program whose type error has one of our sentences. A new program is compiled without a change here. */
const spoken = programs.filter(({ name, sentences }) => sentences.length > 0 && !notCompiled.includes(name));

/** The sentence of a diagnostic without its subject: "`concat`: …", "`features` of `classifier` …". */
const withoutSubject = (message: string): string =>
  message.replace(/^(?:configuration of )?`[^`]+`(?: of `[^`]+`)?:? /u, "");
const saidBy = ({ message, help = "", notes }: Diagnostic): readonly string[] => [
  message,
  withoutSubject(message),
  help,
  ...notes,
];

describe("the editor and the terminal say the same sentence", () => {
  let project: ProjectFixture;
  beforeAll(() => {
    project = makeProject({
      "pipeline.config.ts": 'import { defineConfig } from "tritype";\nexport default defineConfig({});\n',
      "model.onnx": doubleModel(),
      "steps.ts": readFileSync(new URL("steps.ts", import.meta.url)),
    });
  });
  afterAll(() => project.remove());

  it("the comparison covers enough wrong programs", () => {
    expect(spoken.length).toBeGreaterThan(35);
  });

  it.each(spoken)("$name", async ({ name, sentences }) => {
    const source = readFileSync(new URL(`wrong/${name}`, import.meta.url), "utf8");
    project.write("pipeline.ts", source.replace('"../steps.ts"', '"./steps.ts"'));
    const said = judgeBuild(await compileFixture(project)).diagnostics.flatMap(saidBy);
    // The compiler reports a conflict once, at the second position.
    const wanted = sentences.filter((_, i) => i === sentences.length - 1);
    expect(said).toEqual(expect.arrayContaining(wanted));
  });
});
