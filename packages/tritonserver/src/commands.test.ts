import { expect, test } from "vitest";
import { dockerCommand } from "./docker-command.ts";
import type { WheelInstallation } from "./installation.ts";
import { behaviourArguments } from "./server-arguments.ts";
import { wheelCommand, wheelEnvironment } from "./wheel-command.ts";

const ports = { http: 8100, grpc: 8101, metrics: 8102 };
const wheel: WheelInstallation = {
  kind: "wheel",
  release: "24.10",
  version: "2.51.0",
  python: "/cache/env/bin/python",
  environment: "/cache/env",
  executable: "/cache/env/tritonserver",
  libraryFolders: ["/cache/env/libs", "/opt/python/lib"],
  backends: "/cache/env/backends",
  caches: "/cache/env/caches",
};

test("docker's argv publishes on the loopback address and mounts the repository read-only", () => {
  expect(
    dockerCommand({ release: "24.10", repository: "/srv/model, repository", ports, name: "judge" }),
  ).toEqual([
    "docker",
    "run",
    "--rm",
    "--init",
    "--name",
    "judge",
    "--shm-size=1g",
    "-p",
    "127.0.0.1:8100:8000",
    "-p",
    "127.0.0.1:8101:8001",
    "-p",
    "127.0.0.1:8102:8002",
    "--mount",
    'type=bind,"source=/srv/model, repository",target=/models,readonly',
    "nvcr.io/nvidia/tritonserver:24.10-py3",
    "tritonserver",
    "--model-repository=/models",
    "--disable-auto-complete-config",
    "--exit-on-error=false",
    "--exit-timeout-secs=2",
  ]);
});

test("the wheel's argv serves on the loopback address", () => {
  const argv = wheelCommand(wheel, { repository: "/srv/repository", ports });
  expect(argv[0]).toBe("/cache/env/bin/python");
  expect(argv.slice(argv.indexOf("/cache/env/tritonserver"))).toEqual([
    "/cache/env/tritonserver",
    "--model-repository=/srv/repository",
    "--backend-directory=/cache/env/backends",
    "--cache-directory=/cache/env/caches",
    "--http-address=127.0.0.1",
    "--http-port=8100",
    "--grpc-address=127.0.0.1",
    "--grpc-port=8101",
    "--metrics-address=127.0.0.1",
    "--metrics-port=8102",
    "--disable-auto-complete-config",
    "--exit-on-error=false",
    "--exit-timeout-secs=2",
  ]);
});

test("the caller's Python settings are not passed to Triton's stub", () => {
  const env = wheelEnvironment(wheel, {
    PATH: "/usr/bin",
    PYTHONPATH: "/numpy2",
    LD_LIBRARY_PATH: "/other",
    HOME: "/h",
  });
  expect(env).toEqual({
    HOME: "/h",
    PATH: "/cache/env/bin:/usr/bin",
    VIRTUAL_ENV: "/cache/env",
    LD_LIBRARY_PATH: "/cache/env/libs:/opt/python/lib",
    PYTHONHOME: undefined,
    PYTHONPATH: undefined,
    PYTHONDONTWRITEBYTECODE: "1",
  });
});

test("the caller chooses strictness, exit on error, configurations and extra arguments", () => {
  const extraArguments = ["--model-control-mode=explicit", "--exit-timeout-secs=60"];
  expect(behaviourArguments({ strict: false, exitOnError: true, configName: "cpu", extraArguments })).toEqual(
    ["--exit-on-error=true", "--model-config-name=cpu", ...extraArguments],
  );
});
