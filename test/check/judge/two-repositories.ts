import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkRepositories } from "@tritype/check";
import { serveTriton, type TritonInstallation } from "@tritype/tritonserver";
import { writeFiles } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { killTriton } from "../../triton/judge.ts";
import { type CaseFiles, caseHost } from "./case-files.ts";
import { isCoreRefusal, judgeOptions } from "./checker-verdict.ts";

/** Returns the models that a server with two repositories serves, and those that the checker accepts. */
export const serveTwoRepositories = async (
  triton: TritonInstallation,
  first: CaseFiles,
  second: CaseFiles,
): Promise<{ readonly served: readonly string[]; readonly expected: readonly string[] }> => {
  const folders = [
    await mkdtemp(join(tmpdir(), "tritype-judge-")),
    await mkdtemp(join(tmpdir(), "tritype-judge-")),
  ];
  const [a = "", b = ""] = folders;
  writeFiles(a, first);
  writeFiles(b, second);
  const server = await serveTriton(triton, {
    repository: a,
    strict: true,
    extraArguments: [`--model-repository=${b}`, "--allow-grpc=false", "--allow-metrics=false"],
  });
  const response = await fetch(`${server.httpUrl}/v2/repository/index`, { method: "POST" });
  const index = (await response.json()) as readonly { readonly name: string; readonly state?: string }[];
  await killTriton(server);
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
  const { models, diagnostics } = checkRepositories(
    [
      { host: caseHost(first), prefix: "a/" },
      { host: caseHost(second), prefix: "b/" },
    ],
    judgeOptions(true),
  );
  const refused = new Set(
    diagnostics.filter(isCoreRefusal).map(({ labels }) => labels[0]?.span.file.split("/")[1]),
  );
  return {
    served: [...new Set(index.flatMap(({ name, state }) => (state === "READY" ? [name] : [])))].toSorted(),
    expected: [...models.keys()].filter((name) => !refused.has(name)).toSorted(),
  };
};
