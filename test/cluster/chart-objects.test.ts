import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { chartChoices } from "../deploy/chart-choices.ts";
import { deployedProject } from "../deploy/deployed-project.ts";
import { customDefinitions, image } from "../deploy/tools.ts";
import { eventually, helm, kubectl, machine, restrictedNamespace, shared, valuesFile } from "./cluster.ts";

const minutes = 60_000;

test(
  "the API server accepts everything that the chart renders, with the definitions of KEDA, KServe, Gateway API and the Prometheus operator",
  async () => {
    for (const path of await customDefinitions()) {
      const file = await machine().write(basename(path), readFileSync(path));
      await kubectl("apply", "--server-side", "--filename", file);
      await eventually(
        () => kubectl("get", "--filename", file, "--output=jsonpath={.status.conditions}"),
        (conditions) => /"True"[^}]*"Established"/.test(conditions),
      );
    }
    await restrictedNamespace("objects");
    const made = await deployedProject('{ platforms: ["kserve", "gateway"] }');
    const chart = shared(made.path("deploy/chart"), "chart-objects");
    const kinds = new Set<string>();
    for (const [name, [values]] of Object.entries(chartChoices(image))) {
      const mine = await valuesFile("choice.json", values);
      const options = ["--validate", "--namespace=objects", `--values=${mine}`];
      const rendered = await helm("template", "embed", chart, ...options);
      const file = await machine().write("rendered.yaml", rendered);
      const answer = await kubectl(
        "apply",
        "--dry-run=server",
        "--server-side",
        "--validate=strict",
        "--namespace=objects",
        "--filename",
        file,
      );
      // Kubernetes warns about pods that "restricted" does not admit, and about deprecated fields.
      expect(answer, name).not.toMatch(/warning/i);
      for (const [, kind = ""] of rendered.matchAll(/^kind: (\S+)/gm)) kinds.add(kind);
      expect(answer.trim().split("\n"), name).toHaveLength(rendered.match(/^kind: /gm)?.length ?? 0);
    }
    expect([...kinds].toSorted()).toEqual([
      "ConfigMap",
      "Deployment",
      "HTTPRoute",
      "HorizontalPodAutoscaler",
      "InferenceService",
      "NetworkPolicy",
      "Pod",
      "PodDisruptionBudget",
      "PodMonitor",
      "PrometheusRule",
      "ScaledObject",
      "Service",
      "ServiceAccount",
      "ServiceMonitor",
      "ServingRuntime",
    ]);
    await expect(
      kubectl("apply", "--dry-run=server", "--validate=strict", "--filename", await misspelt()),
    ).rejects.toThrow(/unknown field "spec.maxUnavailble"/);
  },
  10 * minutes,
);

/** Shows that the server refuses fields that it does not know. */
const misspelt = (): Promise<string> =>
  machine().write(
    "misspelt.json",
    JSON.stringify({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "misspelt" },
      spec: { maxUnavailble: 1 },
    }),
  );
