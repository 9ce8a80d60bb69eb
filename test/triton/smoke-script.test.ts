import { type DType, dtypes, type Scalar, type TensorData, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { written } from "../../packages/cli/src/deploy/measure-samples.ts";
import { smokeFile } from "../../packages/deploy/src/smoke/smoke-file.ts";
import { checked } from "../cli/served-build.ts";
import { runSmoke, smokeFolder } from "../deploy/smoke-script.ts";
import { echo, echoFiles } from "./echo-models.ts";
import { installTime } from "./judge.ts";
import { serveBoth } from "./serve-both.ts";

const contractHash = "c".repeat(64);
const parameter = `parameters { key: "tritype_contract" value { string_value: "${contractHash}" } }\n`;
const all = Object.keys(dtypes) as DType[];

/** Two elements, and two of which the second is different. */
const samples = (dtype: DType): readonly [TensorData, TensorData] => {
  const of = (...values: readonly Scalar[]): TensorData => tensorOf(dtype, [1, 2], values);
  if (dtype === "BYTES") return [of("a\0é", ""), of("a\0é", "b")];
  if (dtype === "BOOL") return [of(true, false), of(true, true)];
  if (dtypes[dtype].family === "float") return [of(Number.NaN, 1.5), of(Number.NaN, 2.5)];
  return [of(1, 7), of(1, 8)];
};

/** `smoke.json` of a build whose models return their inputs, or something else. */
const smokeText = (changed: boolean): string =>
  smokeFile(
    {
      manifest: {
        formatVersion: 1,
        target: "24.10",
        models: [],
        ensembles: all.map((dtype) => ({
          name: echo(dtype),
          inputs: {},
          outputs: {},
          contractHash,
          graph: {},
        })),
        loadOrder: [],
        requirements: [],
        files: {},
      },
      hash: "0".repeat(64),
      models: [],
      profiles: [],
    },
    Object.fromEntries(
      all.map((dtype) => {
        const [input, other] = samples(dtype);
        const outputs = written(new Map([["OUTPUT", changed ? other : input]]));
        const sample = { inputs: written(new Map([["INPUT", input]])), outputs };
        return [echo(dtype), { medianMilliseconds: 1000, samples: [sample] }];
      }),
    ),
  );

test(
  "the chart's script sends and compares every dtype, with the real Triton and with ours",
  async () => {
    const files = Object.entries(Object.assign({}, ...all.map(echoFiles)) as Record<string, string>);
    const servers = await serveBoth(
      Object.fromEntries(
        files.map(([path, text]) => [path, path.endsWith("config.pbtxt") ? `${text}${parameter}` : text]),
      ),
    );
    for (const { url } of servers) {
      const same = await runSmoke(smokeFolder(smokeText(false)), url);
      expect(checked(same.out)).toEqual([
        "server ready ok",
        ...all.flatMap((dtype) =>
          ["contract", "answers", "latency"].map((what) => `${echo(dtype)} ${what} ok`),
        ),
      ]);
      expect(same).toMatchObject({ code: 0, err: "" });
      const other = await runSmoke(smokeFolder(smokeText(true)), url);
      const problems = [...other.out.matchAll(/^echo_(\w+) +answers {3}FAILED {2}`OUTPUT` differs: (.*)$/gm)];
      expect(problems.map(([, dtype, problem]) => `${dtype}: ${problem}`)).toEqual(
        all.map(
          (dtype) =>
            `${dtype.toLowerCase()}: ${dtype === "BYTES" ? 'element 1 is "", not "b"' : "max abs 1.0e+0"}`,
        ),
      );
      expect(other.code).toBe(1);
    }
  },
  installTime,
);
