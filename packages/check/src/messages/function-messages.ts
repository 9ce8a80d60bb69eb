import type { Mender, ServerMessage } from "./server-message.ts";

type Row = readonly [says: string | readonly string[], mend: Mender, means: string, help: string];

const returned = "the function of step `{model}` returned what the step does not declare: ";

/** What function steps answer, the emitted `model.py` and its native twin alike. */
const rows: readonly Row[] = [
  [
    [
      "{model:name}: row {row:n}: {error:line} ({function}, line {line:n}, in {file})",
      "{model:name}: {error:line} ({function}, line {line:n}, in {file})",
    ],
    "model-code",
    "the function of step `{model}` threw: {error}",
    "look at line {line} of `{function}` in {file}, and at what the request holds; the other requests of the batch are not touched",
  ],
  [
    "{model:name}: the request took longer than {limit:n} s",
    "model-code",
    "the function of step `{model}` did not end within {limit} s",
    "look for a loop that such inputs keep from ending, send fewer rows, or raise `timeLimit` of the step",
  ],
  [
    [
      "{model:name}: row {row:n}: output {tensor} holds what is no {wanted:line}",
      "{model:name}: output {tensor} holds what is no {wanted:line}",
    ],
    "model-code",
    `${returned}\`{tensor}\` holds what is no {wanted}`,
    "return a {wanted} for `{tensor}`: nothing is rounded, cut or wrapped",
  ],
  [
    [
      "{model:name}: row {row:n}: output {tensor} has shape {got:shape}, wanted {wanted:shape}",
      "{model:name}: output {tensor} has shape {got:shape}, wanted {wanted:shape}",
    ],
    "model-code",
    `${returned}\`{tensor}\` is {got}, not {wanted}`,
    "make it {wanted}: names of dims are one size in a request, and all rows of a request have one shape",
  ],
  [
    [
      "{model:name}: row {row:n}: output {tensor} is no array",
      "{model:name}: row {row:n}: output {tensor} is no { data, shape }",
      "{model:name}: output {tensor} is no { data, shape }",
    ],
    "model-code",
    `${returned}\`{tensor}\` is no list of elements`,
    "return an array for [batch, n], and { data, shape } for more dims and in batchStep()",
  ],
  [
    [
      "{model:name}: row {row:n}: output {tensor} has {count:n} elements for shape {got:shape}",
      "{model:name}: output {tensor} has {count:n} elements for shape {got:shape}",
    ],
    "model-code",
    `${returned}\`{tensor}\` has {count} elements and says that its shape is {got}`,
    "make data and shape agree",
  ],
  [
    "{model:name}: input {tensor} has shape {got:shape}, wanted {wanted:shape}",
    "client",
    "`{tensor}` is {got}, but a dim of the same name is another size at an input before it: {wanted}",
    "send tensors whose sizes agree, as the step's declaration names them",
  ],
];

export const functionMessages: readonly ServerMessage[] = rows.map(([says, mend, means, help]) => ({
  says,
  mend,
  means,
  help,
}));
