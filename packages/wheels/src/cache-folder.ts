import { homedir } from "node:os";
import { posix, win32 } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folder for Tritype's downloads: `$TRITYPE_CACHE`, else `$XDG_CACHE_HOME/tritype`, else the default of the
 * platform (`~/.cache/tritype`, `~/Library/Caches/tritype` on macOS, `%LOCALAPPDATA%\tritype\cache` on Windows).
 */
export function cacheFolder(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  const own = env["TRITYPE_CACHE"];
  if (own) return own;
  const path = platform === "win32" ? win32 : posix;
  const shared = env["XDG_CACHE_HOME"];
  if (shared) return path.join(shared, "tritype");
  if (platform === "win32") {
    return path.join(env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local"), "tritype", "cache");
  }
  return platform === "darwin"
    ? path.join(home, "Library", "Caches", "tritype")
    : path.join(home, ".cache", "tritype");
}
