import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { commands } from "@tritype/cli";
import { expect, test } from "vitest";
import { sameOptions } from "../docs/reference/pages.ts";
import { installJudge, installTime } from "./judge.ts";

test(
  "pipeline dev has each option of tritonserver, or names the alternative",
  async () => {
    const { executable, libraryFolders } = await installJudge();
    const env = { LD_LIBRARY_PATH: libraryFolders.join(":") };
    // tritonserver exits with 1 after printing its help.
    const { stdout, stderr } = await promisify(execFile)(executable, ["--help"], { env }).catch(
      (ended: { readonly stdout: string; readonly stderr: string }) => ended,
    );
    const options = [...`${stdout}${stderr}`.matchAll(/^ {2}--([a-z0-9-]+)/gm)].map(([, name = ""]) => name);
    const dev = commands.find(({ name }) => name === "dev");
    const missing = Object.keys(dev?.missing ?? {});
    expect([...missing, ...sameOptions, "help"].toSorted()).toEqual([...new Set(options)].toSorted());
    expect(sameOptions.filter((name) => dev?.options[name] === undefined)).toEqual([]);
  },
  installTime,
);
