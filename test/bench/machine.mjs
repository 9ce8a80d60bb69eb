import { createRequire } from "node:module";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

const require = createRequire(import.meta.url);
const versionOf = (name) => require(`${name}/package.json`).version;

/**
 * The machine on which figures were measured, in one line and in parts; `load` is the load average of the last minute.
 */
export const machine = () => {
  const versions = {
    node: process.versions.node,
    "onnxruntime-node": versionOf("onnxruntime-node"),
    tokenizers: versionOf("tokenizers"),
  };
  const [load = 0] = loadavg();
  const date = new Date().toISOString().slice(0, 16);
  const line = [
    date,
    `${availableParallelism()} cores (${cpus()[0]?.model.trim()})`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    ...Object.entries(versions).map(([name, version]) => `${name} ${version}`),
    `load ${load.toFixed(1)}`,
  ].join(" · ");
  return { line, date, cores: availableParallelism(), versions, load };
};
