import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { customDefinitions, type KubernetesObject, kubernetesValidate, runTool } from "./tools.ts";
import { goModuleFiles, goProgram } from "../environment/go-module.ts";
import { withPackages } from "../environment/python-tool.ts";

const version = "v0.8.0";

interface Output {
  readonly resources: readonly { readonly kind: string; readonly name: string; readonly msg: string }[];
}

/**
 * kubeconform with local schemas: those of kubernetes-validate, and those of other projects' definitions. The returned function finds
 * the faults of objects in a release of Kubernetes; unknown fields are faults.
 */
export const kubeconform = async (): Promise<
  (objects: readonly KubernetesObject[], release: string) => Promise<readonly string[]>
> => {
  const program = await goProgram("github.com/yannh/kubeconform", version, "cmd/kubeconform");
  const folder = mkdtempSync(join(tmpdir(), "tritype-kubeconform-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeCustomSchemas(folder);
  return async (objects, release) => {
    const builtIn = await writeBuiltInSchemas(folder, release, objects);
    const file = join(folder, "objects.json");
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    const locations = [builtIn, folder].flatMap((at) => [
      "-schema-location",
      `${at}/{{.ResourceKind}}{{.KindSuffix}}.json`,
    ]);
    const args = ["-strict", "-output", "json", ...locations, file];
    const { output } = await runTool({ program, env: process.env }, args, folder);
    const { resources } = JSON.parse(output) as Output;
    return resources.map(({ kind, name, msg }) => `${kind}/${name}: ${msg}`);
  };
};

/** With kubeconform's own script. */
const writeCustomSchemas = async (folder: string): Promise<void> => {
  const [script = ""] = await goModuleFiles("github.com/yannh/kubeconform", version, [
    "scripts/openapi2jsonschema.py",
  ]);
  await promisify(execFile)("python3", [script, ...(await customDefinitions())], {
    cwd: folder,
    env: { ...withPackages(await kubernetesValidate()), FILENAME_FORMAT: "{kind}-{group}-{version}" },
  });
};

/** The schemas of the objects' kinds, without the addresses from which kubeconform would download what they refer to. Returns their folder. */
const writeBuiltInSchemas = async (
  folder: string,
  release: string,
  objects: readonly KubernetesObject[],
): Promise<string> => {
  const from = join(
    await kubernetesValidate(),
    `kubernetes_validate/kubernetes-json-schema/v${release}.0-local-strict`,
  );
  const to = join(folder, release);
  mkdirSync(to, { recursive: true });
  const names = objects.map(
    ({ kind, apiVersion }) =>
      `${kind.toLowerCase()}-${apiVersion.replace(/^([^./]*)(?:\.[^/]*)?\//, "$1-")}.json`,
  );
  for (const name of new Set(["_definitions.json", ...names])) {
    const file = join(from, name);
    if (!existsSync(file)) continue;
    const { $id: _, ...schema } = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;
    writeFileSync(
      join(to, name),
      JSON.stringify(schema).replaceAll('"/api/_definitions.json#', '"_definitions.json#'),
    );
  }
  return to;
};
