import { profileValues, valuesFile } from "./chart/chart-values.ts";
import { chartTemplates } from "./chart/templates.ts";
import { valuesSchema } from "./chart/values-schema.ts";
import { composeFiles } from "./compose/compose-file.ts";
import { type DeployedBuild, deploymentName } from "./deployed-build.ts";
import type { DeploySettings } from "./deploy-settings.ts";
import { smokeScript } from "./generated/python.ts";
import { buildName } from "./model-storage.ts";
import { adapterFile } from "./observability/adapter.ts";
import { dashboard } from "./observability/dashboard.ts";
import { rulesFile } from "./observability/rules.ts";
import { rulesTestFile } from "./observability/rules-test.ts";
import { smokeFile, type SmokeMeasurement, smokePath } from "./smoke/smoke-file.ts";
import { uploadScript } from "./upload-script.ts";
import { yamlName } from "./yaml-text.ts";

/** The files of a deployment: path relative to its folder → text. The same build, settings and measurement give the same bytes. */
export const emitDeployment = (
  build: DeployedBuild,
  settings: DeploySettings,
  measured: SmokeMeasurement,
): ReadonlyMap<string, string> => {
  const rules = rulesFile(build);
  const upload = uploadScript(build, settings.models);
  const dashboards = build.manifest.ensembles.map(({ name }) => [
    `dashboards/${name}.json`,
    dashboard(build, name),
  ]);
  const chart = new Map([
    ["Chart.yaml", chartFile(build)],
    [".helmignore", "# Written by `pipeline deploy`.\n*.orig\n.git\n"],
    ["values.yaml", valuesFile(build, settings)],
    ["values.schema.json", valuesSchema(build, settings)],
    ...build.profiles.map(
      (profile) => [`values-${profile}.yaml`, profileValues(build, settings, profile)] as const,
    ),
    ...[...chartTemplates(settings)].map(([path, text]) => [`templates/${path}`, text] as const),
    ["files/rules.yaml", rules],
    ["files/smoke.py", smokeScript],
    ...dashboards.map(([path = "", text = ""]) => [`files/${path}`, text] as const),
  ]);
  return new Map(
    [
      ...[...chart].map(([path, text]) => [`chart/${path}`, text] as const),
      [smokePath, smokeFile(build, measured)] as const,
      ...[...composeFiles(build, settings)].map(([path, text]) => [`compose/${path}`, text] as const),
      ...(upload === undefined ? [] : [["models/upload.sh", upload] as const]),
      ["observability/rules.yaml", rules] as const,
      ["observability/rules.test.yaml", rulesTestFile(build)] as const,
      ["observability/prometheus-adapter.yaml", adapterFile] as const,
      ...dashboards.map(([path = "", text = ""]) => [`observability/${path}`, text] as const),
    ].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
};

const chartFile = (build: DeployedBuild): string => {
  const called = build.manifest.ensembles.map(({ name }) => name).join(", ");
  const short = buildName(build.hash);
  // Quoted, because a hash of only digits would be a number.
  return `# Written by \`pipeline deploy\`, which overwrites it.
apiVersion: v2
name: ${yamlName(deploymentName(build.manifest))}
description: ${called} on Triton ${build.manifest.target}
type: application
# One chart for each build.
version: "1.0.0+build.${short}"
appVersion: "${short}"
# The first release in which preStop.sleep is on by default.
kubeVersion: ">=1.30.0-0"
`;
};
