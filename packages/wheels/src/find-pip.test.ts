import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findPip } from "./find-pip.ts";
import { runCommand } from "./run-command.ts";

/** A folder with a program of this name that answers the probe. */
const fakePython = async (answer: object): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-python-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, "python3");
  await writeFile(program, `#!/bin/sh\necho '${JSON.stringify({ executable: program, ...answer })}'\n`);
  await chmod(program, 0o755);
  return folder;
};

test("the first Python with pip is used", async () => {
  const without = await fakePython({ pip: false, environments: false });
  const other = await fakePython({ pip: true, environments: true });
  const python = join(other, "python3");
  expect(await findPip("/nowhere", { PATH: `${without}:${other}` })).toEqual({
    python,
    argv: [python, "-I", "-m", "pip"],
  });
});

test("TRITYPE_PYTHON comes before PATH", async () => {
  const [named, other] = [await fakePython({ pip: true }), await fakePython({ pip: true })];
  const python = join(named, "python3");
  expect((await findPip("/nowhere", { PATH: other, TRITYPE_PYTHON: python })).python).toBe(python);
});

test("if no Python can be used, the message names those that exist", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-python-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [locked, old] = [join(folder, "python3"), join(folder, "python")];
  await writeFile(locked, "#!/bin/sh\n", { mode: 0o644 });
  await writeFile(old, "#!/bin/sh\necho is Python 3.6.9 >&2; exit 1\n", { mode: 0o755 });
  await expect(findPip("/nowhere", { PATH: folder }, [])).rejects.toMatchObject({
    code: "tool/missing",
    message: `No Python 3.8 or newer was found that can fetch wheels from PyPI; ${locked} may not be executed; ${old} is Python 3.6.9`,
  });
});

test("the Python that was found can run pip", async () => {
  const { argv } = await findPip("/nowhere", process.env);
  const { code, output } = await runCommand([...argv, "--version"]);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^pip \d+\./) });
});

test("pip is not imported from the current folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-python-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "pip.py"), 'print("another pip")\n');
  const [program, ...rest] = (await findPip("/nowhere", process.env)).argv;
  const { stdout } = spawnSync(program, [...rest, "--version"], { cwd: folder, encoding: "utf8" });
  expect(stdout).toMatch(/^pip \d+\./);
});
