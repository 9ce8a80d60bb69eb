import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { InspectorOptions } from "@tritype/inspector";
import type { Given } from "../command.ts";

type OpenEditor = NonNullable<InspectorOptions["openEditor"]>;

/** @param folders The folders to which positions are relative; the first one that contains the file is used. */
export const editorOf = (given: Given, folders: readonly string[]): OpenEditor | undefined => {
  const command = given.text("editor");
  if (command === "none" || (command === undefined && !isThisMachine(given.text("host")))) return undefined;
  return async ({ file, line, column = 1 }) => {
    const path = folders.map((folder) => resolve(folder, file)).find((one) => existsSync(one));
    if (path === undefined) return `${file} no longer exists`;
    // It finds running editors, and knows the arguments for a line in each of them.
    const { default: launch } = await import("launch-editor");
    return await new Promise((done) => {
      launch(`${path}:${line}:${column}`, command, (_, why) =>
        done(
          why === null
            ? "no running editor was found: start `pipeline dev` with --editor code"
            : `the editor failed: ${why}`,
        ),
      );
      setTimeout(() => done(undefined), failingMs);
    });
  };
};

/** A command that cannot be started fails immediately; one that has started may run as long as its window is open. */
const failingMs = 400;

/** Otherwise, someone on another machine could start a program on this machine. */
const isThisMachine = (host = "127.0.0.1"): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
