import { rm } from "node:fs/promises";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFiles } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import type { Backend } from "../../../packages/runtime/src/backend.ts";
import { readRepository } from "../../../packages/runtime/src/repository/read-repository.ts";
import { stampRepository } from "../../../packages/runtime/src/service/model-files.ts";
import { createModelLoader } from "../../../packages/runtime/src/service/model-loader.ts";
import { reasonOf } from "../../../packages/runtime/src/service/model-table.ts";
import { serveRepository } from "../../../packages/runtime/src/service/serve-repository.ts";
import { createServedTable } from "../../../packages/runtime/src/service/served-table.ts";
import type { CaseFiles } from "../judge/case-files.ts";
import { stubBackends, type Verdict, type Verdicts } from "../judge/server-judge.ts";

/** The local runtime's verdict on a repository, with the backends of the judge's server: stubs that load everything. */
export const judgeLocally = async (files: CaseFiles): Promise<Verdicts> => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-local-"));
  try {
    writeFiles(folder, files);
    const served = createServedTable(() => {});
    const stubs = ["python", ...stubBackends].map(
      (name) => [name, () => Promise.resolve(stub(name))] as const,
    );
    const load = createModelLoader({
      backends: new Map(stubs),
      manifest: undefined,
      python: "always",
      notice: () => {},
    });
    const repository = await readRepository(folder);
    await serveRepository(served, repository, await stampRepository(folder), load);
    const verdicts = new Map(
      [...served.current().values()].map((model): [string, Verdict] => {
        const first = reasonOf(model)?.message ?? [];
        const reasons = [first, ...model.failed.slice(0, -1).map(({ reason }) => reason.message)].flat();
        return [model.name, { ready: reasons.length === 0, reason: reasons.join("\n") }];
      }),
    );
    await served.close();
    return verdicts;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const stub = (name: string): Backend => ({
  name,
  load: () =>
    Promise.resolve({
      execute: (requests) => Promise.resolve(requests.map(() => ({ outputs: new Map() }))),
      close: () => Promise.resolve(),
    }),
});
