import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import { exampleProject, machine } from "./cluster.ts";
import { buildImage } from "./images.ts";

const minutes = 60_000;

/** The digest of the image of a new build in a new folder; Podman uses none of the layers that it has built before. */
const freshDigest = async (tag: string, edit: (source: string) => string): Promise<string> => {
  const project = exampleProject();
  onTestFinished(project.remove);
  const file = join(project.root, "pipeline.ts");
  writeFileSync(file, edit(readFileSync(file, "utf8")));
  const ended = await pipeline(project, ["build"]);
  expect(ended, ended.err).toMatchObject({ code: 0 });
  return await buildImage(machine(), join(project.root, "build"), "equal", tag, "--no-cache");
};

test(
  "Podman makes images with the same digest from two builds of the same project in different folders",
  async () => {
    const first = await freshDigest("first", (source) => source);
    console.log(`digest of the image: ${first}`);
    expect(await freshDigest("second", (source) => source)).toBe(first);
    const changed = await freshDigest("changed", (source) =>
      source.replace("a short text", "a shorter text"),
    );
    expect(changed).toMatch(/^sha256:[\da-f]{64}$/);
    expect(changed).not.toBe(first);
  },
  10 * minutes,
);
