import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { startProcess } from "./server-process.ts";

const stubborn = `
import mmap, os, signal, sys, time
file = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
os.ftruncate(file, 4096)
held = mmap.mmap(file, 4096)
signal.signal(signal.SIGTERM, lambda *_: print("Found 0 live models and 0 in-flight non-inference requests", flush=True))
print("ready", flush=True)
while True:
    time.sleep(0.1)
`;

test("a stopped server leaves no shared memory, even if its shutdown is cut short", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tritype-server-"));
  const script = path.join(folder, "server.py");
  writeFileSync(script, stubborn);
  const region = `/dev/shm/triton_python_backend_shm_region_test-${process.pid}`;
  const server = startProcess(["python3", script, region], { env: process.env });
  await expect.poll(() => server.log()).toContain("ready");
  expect(existsSync(region)).toBe(true);
  await server.stop();
  expect(server.exit()).toBe("signal SIGKILL");
  expect(existsSync(region)).toBe(false);
  rmSync(folder, { recursive: true });
});

test("a long log takes no longer to read line by line than a short one, and its end is kept", async () => {
  const lines =
    'const line = "x".repeat(99) + "\\n"; for (let i = 0; i < 1000; i++) process.stdout.write(line.repeat(100));';
  const server = startProcess([process.execPath, "-e", `${lines} console.log("end")`], { env: process.env });
  expect(await server.ended).toBe("exit code 0");
  expect(server.log()).toMatch(/x{99}\nend\n$/);
  expect(server.log().length).toBeLessThan(2 ** 23);
}, 20_000);
