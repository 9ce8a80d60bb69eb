import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { Endpoint } from "./endpoint.ts";
import { openTemporary } from "./open-temporary.ts";

const echo: Endpoint = {
  name: "echo",
  models: ["echo"],
  metadata: async (name) => ({ name, versions: ["1"], platform: "", inputs: [], outputs: [] }),
  config: async () => ({}),
  infer: async (_model, inputs) => inputs,
  close: async () => {},
};

test("the folder exists as long as the endpoint is open", async () => {
  let folder = "";
  const opened = await openTemporary("tritype-endpoint-", async (path) => {
    folder = path;
    return { ...echo, at: path };
  });
  expect(opened).toMatchObject({ name: "echo", at: folder });
  expect(existsSync(folder)).toBe(true);
  await opened.close();
  expect(existsSync(folder)).toBe(false);
});

test("an endpoint that does not open, or fails to close, leaves no folder", async () => {
  const folders: string[] = [];
  const opening = openTemporary("tritype-endpoint-", async (path) => {
    folders.push(path);
    throw new Error("no models");
  });
  await expect(opening).rejects.toThrow("no models");
  const opened = await openTemporary("tritype-endpoint-", async (path) => {
    folders.push(path);
    return { ...echo, close: () => Promise.reject(new Error("it hangs")) };
  });
  await expect(opened.close()).rejects.toThrow("it hangs");
  expect(folders.map((path) => existsSync(path))).toEqual([false, false]);
});
