import { expect, test } from "vitest";
import { chartChoices } from "./chart-choices.ts";
import { deployedProject } from "./deployed-project.ts";
import { image, kubernetesReleases, renderChart, rendered } from "./tools.ts";
import { kubeconform } from "./kubeconform.ts";

test("kubeconform accepts everything that the chart renders, and refuses unknown fields of each kind", async () => {
  const made = await deployedProject('{ platforms: ["kserve", "gateway"] }');
  const answers = await renderChart(
    made.path("deploy/chart"),
    Object.values(chartChoices(image)).map(([values]) => values),
  );
  const all = answers.flatMap((answer) => Object.values(rendered(answer).objects));
  // Most choices leave most objects unchanged.
  const objects = [...new Map(all.map((object) => [JSON.stringify(object), object])).values()];
  const ofEachKind = [...new Map(objects.map((object) => [object.kind, object])).values()];
  expect(ofEachKind).toHaveLength(15);
  const faulty = ofEachKind.map((object) => ({
    ...object,
    metadata: { ...object.metadata, name: "faulty" },
    spec: { ...Object(object.spec), unknown: 1 },
  }));
  const faultsOf = await kubeconform();
  for (const release of kubernetesReleases) {
    // Loading the schemas takes longer than validating.
    const faults = await faultsOf([...objects, ...faulty], release);
    expect(faults.flatMap((fault) => /^\w+\/\w+/.exec(fault) ?? []).toSorted(), release).toEqual(
      faulty.map(({ kind }) => `${kind}/faulty`).toSorted(),
    );
    for (const fault of faults) expect(fault).toMatch(/additional properties '(?:unknown|spec)' not allowed/);
  }
}, 900_000);
