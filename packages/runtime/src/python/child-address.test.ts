import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import { createChildAddress } from "./child-address.ts";
import { type Frame, FrameReader, frameType } from "./frame.ts";

test("over TCP, only the host is accepted, because only it knows the token", async () => {
  const address = await createChildAddress("tcp");
  const child = spawn(await pythonWithNumpy(), [
    "-uB",
    fileURLToPath(new URL("../../python", import.meta.url)),
  ]);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end(`${JSON.stringify(address.input)}\n`);
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  const port = Number(/\d+/.exec(line)?.[0]);
  const stranger = connect(port, "127.0.0.1", () => stranger.write("0".repeat(64)));
  stranger.resume();
  await once(stranger, "close");
  expect(stranger.bytesRead).toBe(0);
  const hello = await new Promise<Frame>((resolve, reject) => {
    const open = async () => {
      const socket = await address.connect(port, reject, new FrameReader(resolve));
      onTestFinished(() => void socket.destroy());
    };
    open().then(open).catch(reject);
  });
  expect(hello.type).toBe(frameType.hello);
});

test("a Unix socket is in a folder that only its owner may access", async () => {
  const address = await createChildAddress("unix");
  onTestFinished(() => address.remove());
  const { mode } = await stat(dirname("path" in address.input ? address.input.path : ""));
  expect(mode & 0o777).toBe(0o700);
});

test("Node still resolves links after a socket is removed", async () => {
  const folder = realpathSync(await mkdtemp(join(tmpdir(), "tritype-links-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [target, link] = [join(folder, "target.cjs"), join(folder, "link.cjs")];
  await writeFile(target, "");
  await symlink(target, link);
  const { resolve } = createRequire(import.meta.url);
  resolve(target); // By now, Node knows the folders above the link.
  const address = await createChildAddress("unix");
  const path = "path" in address.input ? address.input.path : "";
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  await address.remove();
  expect(resolve(link)).toBe(target);
  expect(existsSync(dirname(path))).toBe(false);
});

test("if the temporary folder's path is too long for a socket, TCP is used and the folder stays empty", async () => {
  const temporary = await mkdtemp(join(tmpdir(), "x".repeat(90)));
  onTestFinished(() => rm(temporary, { recursive: true }));
  const address = await createChildAddress("unix", temporary);
  expect(address.input).toHaveProperty("token");
  expect(await readdir(temporary)).toEqual([]);
});
