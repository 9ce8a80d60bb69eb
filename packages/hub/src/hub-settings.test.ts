import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hubSettings } from "./hub-settings.ts";

const freshHome = (): string => {
  const home = mkdtempSync(join(tmpdir(), "tritype-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
};

test("without environment variables, it uses the public hub without a token", () => {
  const home = freshHome();
  expect(hubSettings({}, home)).toEqual({
    endpoint: "https://huggingface.co",
    token: undefined,
    cache: join(home, ".cache/huggingface/hub"),
    offline: false,
    idleMs: 30_000,
  });
});

test("reads the variables of Hugging Face's tools", () => {
  expect(
    hubSettings({
      HF_ENDPOINT: "https://mirror.example/hf/",
      HF_TOKEN: " hf_x\n",
      HF_HOME: "/data/hf",
      HF_HUB_OFFLINE: "1",
      HF_HUB_DOWNLOAD_TIMEOUT: "2.5",
    }),
  ).toEqual({
    endpoint: "https://mirror.example/hf",
    token: "hf_x",
    cache: "/data/hf/hub",
    offline: true,
    idleMs: 2500,
  });
  expect(hubSettings({ HF_HUB_CACHE: "/a", HF_HOME: "/data/hf" }).cache).toBe("/a");
  expect(hubSettings({ XDG_CACHE_HOME: "/c" }).cache).toBe("/c/huggingface/hub");
});

test("uses the token saved by `hf auth login`, unless that is disabled", () => {
  const home = freshHome();
  mkdirSync(join(home, ".cache/huggingface"), { recursive: true });
  writeFileSync(join(home, ".cache/huggingface/token"), "hf_saved\n");
  expect(hubSettings({}, home).token).toBe("hf_saved");
  expect(hubSettings({ HF_TOKEN: "hf_given" }, home).token).toBe("hf_given");
  expect(hubSettings({ HF_HUB_DISABLE_IMPLICIT_TOKEN: "1" }, home).token).toBeUndefined();
});

test.each([
  [{ HF_ENDPOINT: "huggingface.co" }, "HF_ENDPOINT is `huggingface.co`, which is not an http or https URL"],
  [{ HF_ENDPOINT: "file:///x" }, "HF_ENDPOINT is `file:///x`, which is not an http or https URL"],
  [{ HF_ENDPOINT: "https://me:secret@mirror.example" }, "HF_ENDPOINT contains a user name or a password"],
  [{ HF_TOKEN: "“hf_x”" }, "HF_TOKEN contains invalid characters"],
  [{ HF_HUB_DOWNLOAD_TIMEOUT: "soon" }, "HF_HUB_DOWNLOAD_TIMEOUT is `soon`"],
])("%j is refused", (env, message) => {
  expect(() => hubSettings(env)).toThrow(message);
});
