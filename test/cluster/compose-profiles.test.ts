import { expect, test } from "vitest";
import { deployedProject, gpuSource } from "../deploy/deployed-project.ts";
import { runTool } from "../deploy/tools.ts";
import { composeProgram } from "./docker.ts";

const devices = [{ driver: "nvidia", count: -1, capabilities: ["gpu"] }];

test.each([
  ["compose.yaml:compose-gpu.yaml", "", "gpu", devices],
  ["compose.yaml:compose-cpu.yaml", "", "cpu", undefined],
  ["compose.yaml:compose-cpu.yaml", gpuSource, "cpu", undefined],
  [
    "compose.yaml:compose-gpu.yaml:mine.yaml",
    "",
    "gpu",
    [{ driver: "nvidia", device_ids: ["0"], capabilities: ["gpu"] }],
  ],
])(
  "Compose merges %s",
  async (files, source, profile, wanted) => {
    const made = await deployedProject("{}", source);
    made.write(
      "deploy/compose/mine.yaml",
      `services:
  triton-1:
    deploy:
      resources:
        reservations:
          devices: !override
            - { driver: nvidia, device_ids: ["0"], capabilities: [gpu] }
`,
    );
    const env = { ...process.env, TRITON_IMAGE: "embed@sha256:1", COMPOSE_FILE: files };
    const tool = { program: await composeProgram(), env };
    const { output } = await runTool(tool, ["config", "--format=json"], made.path("deploy/compose"));
    const { services } = JSON.parse(output) as { services: Readonly<Record<string, object>> };
    expect(Object.keys(services)).toEqual(["haproxy", "triton-1", "triton-2"]);
    const resources = wanted && { reservations: { devices: wanted } };
    expect(services["triton-1"]).toMatchObject({
      image: "embed@sha256:1",
      environment: { TRITON_PROFILE: profile },
      ...(resources && { deploy: { resources } }),
      ports: [{ host_ip: "127.0.0.1", published: "8002", target: 8002 }],
    });
    if (wanted === undefined) expect(services["triton-1"]).not.toHaveProperty("deploy.resources");
  },
  900_000,
);
