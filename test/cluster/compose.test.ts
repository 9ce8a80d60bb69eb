import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import {
  eventually,
  exampleProject,
  machine,
  pipelineInCluster,
  shared,
  startLoad,
  threeOfEach,
} from "./cluster.ts";
import { dockerBaseImage, prepareDocker } from "./docker.ts";
import { registryAddress } from "./images.ts";
import { printLoad } from "./print-load.ts";

const minutes = 60_000;
const project = exampleProject();
const url = "http://127.0.0.1:8000";
/** The images of two builds, with digests, as `docker push` names them. */
const images: string[] = [];

/** Runs commands in one shell, as a user would type them. */
const typed = (folder: string, commands: readonly string[]): Promise<string> =>
  machine().run("sh", "-ec", [`cd ${folder}`, ...commands].join("\n"));

const pipelineHere = async (...args: readonly string[]): Promise<void> => {
  const ended = await pipeline(project, args);
  expect(ended, ended.err).toMatchObject({ code: 0 });
};

/** Replaces text in a file of the project. */
const edit = (name: string, from: RegExp, to: string): void => {
  const file = join(project.root, name);
  const source = readFileSync(file, "utf8");
  expect(source).toMatch(from);
  writeFileSync(file, source.replace(from, to));
};

/** What docs/deploy.md tells users to do for a new build. */
const pushImage = async (tag: string): Promise<string> => {
  await pipelineHere("build");
  const folder = shared(join(project.root, "build"), `build-${tag}`);
  const name = `${registryAddress}/composed:${tag}`;
  await typed(folder, [
    `DOCKER_BUILDKIT=1 docker build --quiet --target gpu --build-arg TRITON_IMAGE=${dockerBaseImage} --tag ${name} .`,
    `docker push ${name}`,
  ]);
  return (await machine().run("docker", "inspect", "--format={{index .RepoDigests 0}}", name)).trim();
};

beforeAll(async () => {
  await prepareDocker(machine());
  images.push(await pushImage("first"));
  // The same contract, but the vectors have twice the norm.
  edit("pipeline.ts", /l2Normalize\((.*)\) };/, "l2Normalize($1).mul(2) };");
  images.push(await pushImage("second"));
}, 15 * minutes);

afterAll(project.remove);

test(
  "the Compose file of the build serves its image",
  async () => {
    const folder = shared(join(project.root, "build"), "build-second");
    // The image for CPUs needs packages of Ubuntu, which cannot be installed here.
    await typed(folder, [`docker tag ${images[1]} triton-embed-triton`, "docker compose up --detach --wait"]);
    expect(await pipelineInCluster(project.root, "smoke", "--url", url)).toMatch(/embed/);
    await typed(folder, ["docker compose down"]);
  },
  5 * minutes,
);

/** The commands in the comment at the top of a file. */
const commandsOf = (file: string): readonly string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => /^# {3}(\S.*)$/.exec(line)?.[1] ?? []);

describe.each(["haproxy", "envoy"] as const)("with %s", (proxy) => {
  test(
    "the commands in the comment replace the servers of a build one by one under load",
    async () => {
      edit("pipeline.config.ts", /24\.10",(?: deploy.*)?/, `24.10", deploy: { proxy: "${proxy}" },`);
      await pipelineHere("build");
      await pipelineHere("deploy");
      const [first = "", second = ""] = images;
      const folder = shared(join(project.root, "deploy/compose"), `compose-${proxy}`);
      const [setImage = "", start = "", ...rollout] = commandsOf(
        join(project.root, "deploy/compose/compose.yaml"),
      );
      const withImage = (commands: readonly string[], image: string): readonly string[] =>
        commands.map((command) => command.replace("registry.example/embed@sha256:…", image));
      await typed(folder, withImage([setImage, start], first));
      await eventually(
        () => pipelineInCluster(project.root, "smoke", "--url", url).catch((error: Error) => error.message),
        // The project has the second build by now, so only its answers differ.
        (output) => /answers/.test(output),
      );
      const load = startLoad(join(project.root, "build/client/embed.js"), "127.0.0.1", threeOfEach);
      await sleep(5000);
      const begun = performance.now();
      for (const server of ["triton-1", "triton-2"])
        await typed(
          folder,
          withImage(rollout, second).map((command) => command.replaceAll("triton-1", server)),
        );
      console.log(`rollout: ${Math.round((performance.now() - begun) / 1000)} s`);
      await sleep(5000);
      const results = await load.stop();
      printLoad(`Compose, ${proxy}`, results);
      for (const [client, { failures, answered }] of Object.entries(results)) {
        expect(failures, client).toEqual([]);
        expect(answered, client).toBeGreaterThan(100);
      }
      for (const client of ["typedHttp", "typedGrpc"] as const)
        expect(Object.keys(results[client].lengths ?? {}).toSorted()).toEqual(["1.0", "2.0"]);
      expect(await pipelineInCluster(project.root, "smoke", "--url", url)).toMatch(/embed/);
      await typed(folder, [`TRITON_IMAGE=${second} docker compose down`]);
    },
    8 * minutes,
  );
});
