import { join } from "node:path";
import { expect } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import { helm, kubectl, machine, shared, valuesFile } from "./cluster.ts";
import { buildImage } from "./images.ts";

const repository = "registry.example/embed";

/** A build, its image and its chart. */
export interface Release {
  readonly digest: string;
  /** The image, with digest. */
  readonly image: string;
  /** The path of the chart in the cluster's machine. */
  readonly chart: string;
}

/**
 * What a user does for a new build, with podman in place of docker.
 * @param damage Changes the build before the image is made
 */
export const buildRelease = async (
  project: { readonly root: string },
  name: string,
  damage: (build: string) => void = () => undefined,
): Promise<Release> => {
  for (const command of ["build", "deploy"]) {
    const ended = await pipeline(project, [command]);
    expect(ended, ended.err).toMatchObject({ code: 0 });
  }
  damage(join(project.root, "build"));
  const digest = await buildImage(machine(), join(project.root, "build"), "embed", name);
  return {
    digest,
    image: `${repository}@${digest}`,
    chart: shared(join(project.root, "deploy/chart"), `chart-${name}`),
  };
};

/** `helm upgrade --install embed`. @param values The user's own */
export const upgrade = async (
  { chart, digest }: Release,
  namespace: string,
  values: object,
  ...options: readonly string[]
): Promise<string> =>
  await helm(
    "upgrade",
    "--install",
    "embed",
    chart,
    `--namespace=${namespace}`,
    `--set=image.repository=${repository}`,
    `--set=image.digest=${digest}`,
    `--values=${await valuesFile("mine.json", values)}`,
    ...options,
  );

/** The address of the release's service. */
export const serviceAddress = (namespace: string): Promise<string> =>
  kubectl("get", "service", "embed", `--namespace=${namespace}`, "--output=jsonpath={.spec.clusterIP}");
