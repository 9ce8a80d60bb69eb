import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtProject } from "../deployed-project.ts";
import { askTotal, serveBuild } from "../serve-build.ts";
import { startDocker } from "./docker-services.ts";
import { filesIn, uploadInSteps } from "./upload-in-steps.ts";

test("Docker pushes an image of the models once, as KServe mounts it, and a real Triton loads its files", async () => {
  const made = await builtProject('{ platforms: ["kserve"] }');
  // The path of a socket is limited to 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), "docker-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const service = await startDocker(join(folder, "d"));
  const address = await uploadInSteps(made, service);

  expect(await service.docker("image", "inspect", address, "--format", "{{.Os}}/{{.Architecture}}")).toBe(
    "linux/amd64\n",
  );
  const layers = await service.layers(address.replace(/.*:/, ""));
  const models = join(layers.at(-1) ?? "", "models");
  const modes = filesIn(models).map((path) => statSync(join(models, path)).mode & 0o777);
  expect(new Set(modes)).toEqual(new Set([0o555]));

  const kserve = "ln -s /proc/$$/root/models /mnt/models && cat /mnt/models/total/config.pbtxt";
  const options = ["--rm", "--network=none", "--user=1010", "--tmpfs=/mnt:mode=1777"];
  expect(await service.docker("run", ...options, address, "sh", "-c", kserve)).toContain('name: "total"');

  const server = await serveBuild(made, [], models);
  expect(await askTotal(server, [1, 2, 3, 4])).toMatchObject({ outputs: [{ name: "sum", data: [20] }] });
}, 1_800_000);
