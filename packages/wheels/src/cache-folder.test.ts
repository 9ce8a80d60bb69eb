import { expect, test } from "vitest";
import { cacheFolder } from "./cache-folder.ts";

test.each([
  ["linux", { TRITYPE_CACHE: "/big/cache", XDG_CACHE_HOME: "/xdg" }, "/big/cache"],
  ["linux", { XDG_CACHE_HOME: "/xdg" }, "/xdg/tritype"],
  ["linux", {}, "/home/ada/.cache/tritype"],
  ["linux", { TRITYPE_CACHE: "" }, "/home/ada/.cache/tritype"],
  ["darwin", {}, "/home/ada/Library/Caches/tritype"],
  ["win32", { LOCALAPPDATA: "D:\\Local" }, "D:\\Local\\tritype\\cache"],
  ["win32", {}, "\\home\\ada\\AppData\\Local\\tritype\\cache"],
] as const)("on %s with %j, the cache is %s", (platform, env, folder) => {
  expect(cacheFolder(env, platform, "/home/ada")).toBe(folder);
});
