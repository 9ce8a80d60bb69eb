import { join } from "node:path";
import { httpClient } from "@tritype/client";
import type { TensorData } from "@tritype/core";
import { writeBuild } from "@tritype/project";
import { describe, expect, test } from "vitest";
import { compileFixture, makeProject } from "../fixtures/project.ts";
import { type Judged, judgeRepository } from "./judge.ts";
import { expectSameAnswers, outcome } from "./same-answers.ts";

/** A build on both servers. */
export interface Built {
  readonly judged: Judged;
  /** The names of its models. */
  readonly members: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Builds and serves a project, which must have no findings. */
export const serveProject = async (files: Parameters<typeof makeProject>[0]): Promise<Built> => {
  const project = makeProject(files);
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  const judged = await judgeRepository(join(project.root, "build/model_repository"));
  const stop = async (): Promise<void> => {
    await judged.stop();
    project.remove();
  };
  return { judged, members: (compilation.build?.manifest.models ?? []).map(({ name }) => name), stop };
};

/** A request: its title, the model, the inputs, and the requested outputs if not all. */
export type FusedCallCase = [
  title: string,
  model: string,
  inputs: Readonly<Record<string, TensorData>>,
  outputs?: readonly string[],
];

/** Tests that a fused build answers like Triton's, and like the same project with separate models. */
export const testFused = (
  calls: readonly FusedCallCase[],
  builds: () => { readonly fused: Built; readonly apart: Built },
): void =>
  describe.each(calls)("%s to %s", (_, model, inputs, outputs) => {
    const call = {
      model,
      inputs: new Map(Object.entries(inputs)),
      ...(outputs === undefined ? {} : { outputs }),
    };
    test("Triton and the local runtime agree on the fused build", async () => {
      await expectSameAnswers(builds().fused.judged, call);
    });
    test("the fused build gives the same answers and errors as the separate models, to the last bit", async () => {
      const answers = async ({ judged }: Built): Promise<readonly unknown[]> => {
        const triton = httpClient(judged.triton.httpUrl, { timeoutMs: 20_000 });
        return Promise.all([outcome(judged.local, call), outcome(triton, call)]);
      };
      const { fused, apart } = builds();
      expect(await answers(fused)).toEqual(await answers(apart));
    });
  });
