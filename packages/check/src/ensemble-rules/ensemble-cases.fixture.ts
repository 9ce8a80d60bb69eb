import type { RepositoryCase } from "./findings.fixture.ts";

/** A step on one line: inputs and outputs as `PORT=tensor`. */
const step = (model: string, inputs: string, outputs: string, version = "model_version: -1"): string => {
  const map = (field: string, wires: string): string =>
    wires
      .split(" ")
      .filter((wire) => wire !== "")
      .map((wire) => {
        const [port, tensor] = wire.split("=");
        return ` ${field} { key: "${port}" value: "${tensor}" }`;
      })
      .join("");
  return `  step { model_name: "${model}" ${version}${map("input_map", inputs)}${map("output_map", outputs)} }`;
};

/** A port on one line: `name TYPE[dims]`. */
const ports = (field: string, says: string, more = ""): string =>
  says
    .split("; ")
    .filter((port) => port !== "")
    .map((port) => {
      const [, name, type, dims] = /^(\S+) (\w+)\[(.*)\]$/.exec(port) ?? [];
      return `${field} { name: "${name}" data_type: TYPE_${type} dims: [ ${dims} ] ${more}}`;
    })
    .join("\n");

const member = (inputs: string, outputs: string, { size = 0, head = "" } = {}): string =>
  `backend: "identity" max_batch_size: ${size} ${head}
${ports("input", inputs)}
${ports("output", outputs)}
`;

/** The ensemble `e` from `A` to `Z`, through the steps; its first step is on line 5. */
const ensemble = (
  steps: readonly string[],
  { inputs = "A FP32[2]", outputs = "Z FP32[2]", size = 0, head = `platform: "ensemble"` } = {},
): string =>
  `${head} max_batch_size: ${size}
${ports("input", inputs)}
${ports("output", outputs)}
ensemble_scheduling {
${steps.join("\n")}
}
`;

const pair = member("X FP32[2]", "Y FP32[2]");

const repository = (
  configs: Readonly<Record<string, string>>,
  says: readonly string[] = [],
): RepositoryCase => ({
  files: Object.fromEntries(
    Object.entries(configs).flatMap(([name, config]) => [
      [`${name}/config.pbtxt`, config],
      [`${name}/1/.keep`, ""],
    ]),
  ),
  says,
});

const at = (line: number, code: string, message: string): string =>
  `ensemble/${code} e/config.pbtxt:${line}: ${message}`;
const through = [step("m", "X=A", "Y=B"), step("m", "X=B", "Y=Z")];
const whole = ensemble(through);

/** Ensembles by title. Triton refuses an ensemble whose code is an error, unless the code is judged "ours". */
export const ensembleCases: Readonly<Record<string, RepositoryCase>> = {
  "steps in another order": repository({ e: ensemble(through.toReversed()), m: pair }),
  "no scheduling": repository({ e: `platform: "ensemble"`, m: pair }, [
    at(1, "no-scheduling", "`e` has the platform `ensemble`, but no `ensemble_scheduling`"),
  ]),
  "instance group": repository({ e: `${whole}instance_group { }\n`, m: pair }, [
    at(8, "foreign-field", "ensemble `e` must not have `instance_group`"),
  ]),
  warmup: repository({ e: `${whole}model_warmup { }\n`, m: pair }, [
    at(8, "foreign-field", "ensemble `e` must not have `model_warmup`"),
  ]),
  "no step": repository({ e: ensemble([]), m: pair }, [at(4, "no-step", "ensemble `e` has no `step`")]),
  "step without maps": repository({ e: ensemble([step("m", "", "")]), m: pair }, [
    at(5, "incomplete-step", "step 0 of ensemble `e` has no `input_map`"),
    at(5, "incomplete-step", "step 0 of ensemble `e` has no `output_map`"),
  ]),
  "unknown output": repository(
    { e: ensemble(through, { outputs: "Z FP32[2]; Q FP32[2]" }).replace("\noutput", " output"), m: pair },
    [at(3, "unwritten-output", "output `Q` of ensemble `e` is never written")],
  ),
  "misspelt source": repository(
    { e: ensemble([step("m", "X=A", "Y=B"), step("m", "X=C", "Y=Z")]), m: pair },
    [
      at(3, "unwritten-output", "output `Z` of ensemble `e` is never written"),
      at(5, "unused-tensor", "tensor `B` of ensemble `e` is written, but not read by any step or output"),
    ],
  ),
  circle: repository(
    {
      e: ensemble([step("n", "X=A W=C", "Y=B"), step("m", "X=B", "Y=C"), step("m", "X=B", "Y=Z")]),
      m: pair,
      n: member("X FP32[2]; W FP32[2]", "Y FP32[2]"),
    },
    [at(3, "unwritten-output", "output `Z` of ensemble `e` is never written")],
  ),
  "unconnected step": repository({ e: ensemble([...through, step("m", "X=P", "Y=Q")]), m: pair }, [
    at(7, "unused-tensor", "tensor `P` of ensemble `e` is read, but not connected to an input"),
    at(7, "unused-tensor", "tensor `Q` of ensemble `e` is written by a step that never runs"),
  ]),
  "unreadable model": repository({ e: ensemble([step("m", "X=A", "Y=Z")]), m: "nonsense" }, [
    at(5, "refused-model", "ensemble `e` needs model `m`, which Triton refuses"),
  ]),
  "ensemble in an ensemble": repository({ e: ensemble([step("f", "A=A", "Z=Z")]), f: whole, m: pair }),
  "steps of each other": repository(
    { e: ensemble([step("f", "A=A", "Z=Z")]), f: ensemble([step("e", "A=A", "Z=Z")]) },
    [
      "ensemble/circular f/config.pbtxt:5: ensemble `f` is a step of itself: f → e → f",
      at(5, "circular", "ensemble `e` is a step of itself: e → f → e"),
    ],
  ),
  "version 2": repository({ e: ensemble([step("m", "X=A", "Y=Z", "model_version: 2")]), m: pair }, [
    at(5, "step-version", "step 0 of ensemble `e` requests version 2 of `m`, which is not served"),
  ]),
  "output twice": repository(
    { e: ensemble([step("m", "X=A", "Y=Z")]), m: member("X FP32[2]", "Y FP32[2]; Y FP32[2]") },
    [
      at(
        5,
        "duplicate-output",
        "ensemble `e` maps output `Y` of `m` to `Z`, but `m` has two outputs of that name",
      ),
    ],
  ),
  "shape of a later step": repository(
    {
      e: ensemble([step("m", "X=A", "Y=B"), step("n", "X=B", "Y=Z")]),
      m: pair,
      n: member("X FP32[3]", "Y FP32[2]"),
    },
    [at(6, "shape", "tensor `B` of ensemble `e` is FP32[2] for `m`, but FP32[3] for `n`")],
  ),
  "batch axis spelt out": repository({
    e: ensemble([step("m", "X=A", "Y=Z")], { size: 4 }),
    m: member("X FP32[-1, 2]", "Y FP32[-1, 2]"),
  }),
  "decoupled stream next to the input": repository(
    {
      e: ensemble([step("m", "X=A", "Y=B"), step("n", "X=B W=A", "Y=Z")]),
      m: member("X FP32[2]", "Y FP32[2]", { head: "model_transaction_policy { decoupled: true }" }),
      n: member("X FP32[2]; W FP32[2]", "Y FP32[2]"),
    },
    [
      at(
        6,
        "decoupled-join",
        "step 1, `n`, of ensemble `e` pairs a decoupled model's responses with tensors from elsewhere",
      ),
    ],
  ),
  "cached answer": repository({ e: `${whole}response_cache { enable: true }\n`, m: pair }),
  "output read": repository({ e: ensemble(through, { outputs: "B FP32[2]; Z FP32[2]" }), m: pair }, [
    at(
      3,
      "shared-output",
      "output `B` of ensemble `e` is also read by step 1: requests for some of the outputs fail",
    ),
  ]),
  "a model that is missing hides nothing of the other steps": repository(
    {
      e: ensemble([step("gone", "X=A", "Y=B"), step("n", "X=B Q=B", "Y=C"), step("m", "X=C", "Y=Z")]),
      m: pair,
      n: member("X FP32[2]", "Y FP32[3]"),
    },
    [
      at(5, "missing-model", "ensemble `e` needs model `gone`, which does not exist"),
      at(6, "unknown-port", "step `n` of ensemble `e` maps input `Q` to `B`, but has no input `Q`"),
      at(7, "shape", "tensor `C` of ensemble `e` is FP32[3] for `n`, but FP32[2] for `m`"),
    ],
  ),
  "no finding for a member that cannot be read": repository(
    {
      e: ensemble([step("m", "X=A", "Y=B"), step("n", "X=B", "Y=Z", "model_version: 7")]),
      m: pair,
      n: "hello: 1",
    },
    [at(6, "refused-model", "ensemble `e` needs model `n`, which Triton refuses")],
  ),
  "an ensemble that is itself refused": repository(
    {
      e: ensemble([step("n", "X=A", "Y=Z")], {
        head: `platform: "ensemble" instance_group { count: 1 }`,
        outputs: "Z FP32[3]",
      }),
      n: member("X INT32[2]", "Y FP32[2]"),
    },
    [
      at(1, "foreign-field", "ensemble `e` must not have `instance_group`"),
      at(5, "dtype", "tensor `A` of ensemble `e` is FP32[2] for `e`, but INT32[2] for `n`"),
      at(5, "shape", "tensor `Z` of ensemble `e` is FP32[3] for `e`, but FP32[2] for `n`"),
    ],
  ),
  "an incomplete step and another one": repository(
    { e: ensemble([step("", "X=A", "Y=B"), step("m", "X=B", "Y=Z")], { outputs: "Z FP32[3]" }), m: pair },
    [
      at(5, "incomplete-step", "step 0 of ensemble `e` has no `model_name`"),
      at(6, "shape", "tensor `Z` of ensemble `e` is FP32[3] for `e`, but FP32[2] for `m`"),
    ],
  ),
  "more rows than a batched step accepts, from the request and from a step": repository(
    {
      e: ensemble(
        [step("n", "X=A", "Y=B"), step("m", "X=B", "Y=Z"), step("m", "X=A", "Y=W"), step("o", "X=A", "Y=V")],
        { inputs: "A FP32[5, 2]", outputs: "Z FP32[-1, 2]; W FP32[5, 2]; V FP32[5, 2]" },
      ).replaceAll("\noutput", " output"),
      m: member("X FP32[2]", "Y FP32[2]", { size: 4 }),
      n: member("X FP32[-1, 2]", "Y FP32[6, 2]"),
      o: member("X FP32[2]", "Y FP32[2]", { size: 5 }),
    },
    [
      at(
        6,
        "too-many-rows",
        "tensor `A` of ensemble `e` has 5 rows, but its step `m` accepts at most 4: no request can be answered",
      ),
      at(
        5,
        "too-many-rows",
        "tensor `B` of ensemble `e` has 6 rows, but its step `m` accepts at most 4: no request can be answered",
      ),
    ],
  ),
};
