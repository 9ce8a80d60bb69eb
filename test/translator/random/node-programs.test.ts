import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tensorOf, valuesOf } from "@tritype/core";
import type { NodeTwinOptions } from "@tritype/manifest";
import { type NodeChild, openNodeChild } from "@tritype/node-host";
import { writeBuild } from "@tritype/project";
import { expect, onTestFinished, test } from "vitest";
import { compileFixture, makeProject } from "../../fixtures/project.ts";
import { exact } from "../exact-values.ts";
import { randomOf } from "../hostile.ts";
import { eachWithinTime } from "../time-limit.ts";
import { evaluate } from "../translate-functions.ts";
import { type Hits, preamble, randomProgram } from "./random-program.ts";
import { randomRow } from "./random-row.ts";
import { tagged } from "./tagged-json.ts";

const long = process.env["TRITYPE_PROGRAMS"] === "long";
const wanted = long ? 5000 : 40;
const perModule = long ? 250 : 40;
const rowsEach = 20;
const seed = Number(process.env["TRITYPE_SEED"] ?? 20_261_123);

const pipeline = `
import { defineEnsemble, json, step } from "tritype";
import { exact, type Exact } from "./exact-values.ts";
import * as functions from "./functions.ts";
import { untagged } from "./tagged-json.ts";

const programs = step({
  name: "programs",
  engine: "node",
  inputs: { call: json<{ name: string; row: unknown }>() },
  outputs: { answer: json<Exact>() },
  run: ({ call }) => ({
    answer: exact((functions as Readonly<Record<string, any>>)[call.name](untagged(call.row))),
  }),
});
export const run = defineEnsemble({
  name: "run",
  maxBatchSize: 8,
  inputs: { call: json<{ name: string; row: unknown }>() },
  run: ({ call }) => ({ answer: programs({ call }).answer }),
});
`;

/** The text of a module, by its path relative to this folder. */
const source = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

/** Starts a Node process with the emitted host and a bundle of these functions. */
const openPrograms = async (functions: string): Promise<NodeChild> => {
  const project = makeProject({
    "pipeline.ts": pipeline,
    "functions.ts": functions,
    "exact-values.ts": source("../exact-values.ts"),
    "tagged-json.ts": source("tagged-json.ts"),
  });
  onTestFinished(project.remove);
  const { compilation } = await compileFixture(project);
  if (compilation.build === undefined) throw new Error(JSON.stringify(compilation.diagnostics, null, 1));
  writeBuild(project.root, compilation.build.tree);
  const folder = project.path("model_repository/programs/1");
  const options = JSON.parse(readFileSync(join(folder, "function.json"), "utf8")) as NodeTwinOptions;
  const child = await openNodeChild({ folder, options, notice: () => {} });
  onTestFinished(() => child.close());
  return child;
};

test(
  `${wanted} random programs with ${rowsEach} rows each behave the same as functions on Node`,
  async () => {
    const random = randomOf(seed);
    const written: Hits = new Map();
    const different: string[] = [];
    const totals = { rows: 0, late: 0, thrown: 0 };
    for (let made = 0; made < wanted; made += perModule) {
      const programs = Array.from({ length: perModule }, (_, at) => randomProgram(`f${at}`, random, written));
      const text = `${preamble}\n${programs.map((program) => program.text).join("\n")}`;
      const [originals, child] = [evaluate(text), await openPrograms(text)];
      for (const [at, program] of programs.entries()) {
        const name = `f${at}`;
        const rows = Array.from({ length: rowsEach }, () => randomRow(random));
        const calls = rows.map((row) => () => outcomeOf(originals[name], row));
        const outcomes = eachWithinTime(calls, 1000).map((made) => made?.value);
        const ended = rows.filter((_, index) => outcomes[index] !== undefined);
        const answers = await child.execute(
          ended.map((row) => ({
            inputs: new Map([
              ["call", tensorOf("BYTES", [1, 1], [JSON.stringify({ name, row: tagged(row) })])],
            ]),
          })),
        );
        totals.rows += rows.length;
        totals.late += rows.length - ended.length;
        const known = outcomes.filter((outcome) => outcome !== undefined);
        for (const [index, answer] of answers.entries()) {
          const outputs = "outputs" in answer ? [...answer.outputs.values()] : [];
          const [value] = outputs.flatMap((tensor) => valuesOf(tensor));
          const got = "outputs" in answer ? String(value) : withoutPlace(answer.text);
          if (!("outputs" in answer)) totals.thrown++;
          if (got !== known[index])
            different.push(
              [known[index], got, JSON.stringify(tagged(ended[index])), program.text].join("\n"),
            );
        }
      }
    }
    expect(different.slice(0, 3).join("\n\n"), `${different.length} rows differ`).toBe("");
    expect(totals.rows).toBe(wanted * rowsEach);
    expect(totals.late).toBeLessThan(totals.rows / 100);
    expect(totals.thrown).toBeGreaterThan(totals.rows / 100);
  },
  long ? 3_600_000 : 120_000,
);

/** A program's answer in this process, or the text of its error. */
const outcomeOf = (run: ((row: unknown) => unknown) | undefined, row: unknown): string => {
  try {
    return JSON.stringify(exact(run?.(structuredClone(row))));
  } catch (error) {
    const { name, message } = error as Error;
    // Errors are sent as UTF-8, which cannot represent a lone surrogate.
    return Buffer.from(message === "" ? `row 0: ${name}` : `row 0: ${name}: ${message}`).toString();
  }
};

const withoutPlace = (text: string): string => text.replace(/ \(\w[\w-]*\.ts:\d+:\d+\)$/, "");
