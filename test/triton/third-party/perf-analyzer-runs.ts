import type { Files } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import type { ProgramRun } from "./run-programs.ts";

const repeated = [1, 3].map((count) => ({
  IN: { content: Array.from({ length: count }, (_, index) => index), shape: [count] },
  DELAY: { content: Array.from({ length: count }, () => 1), shape: [count] },
  WAIT: { content: [1], shape: [1] },
}));
const counted = [2, 5].map((first) => ({
  INPUT0: Array.from({ length: 16 }, (_, index) => first + index),
  INPUT1: Array.from({ length: 16 }, () => 1),
}));

/** The files that the runs read. */
export const perfAnalyzerFiles: Files = {
  "repeat.json": JSON.stringify({ data: repeated }),
  "numbers.json": JSON.stringify({ data: counted }),
  // A nested list is a sequence.
  "sequences.json": JSON.stringify({
    data: [
      [{ INPUT: [1] }, { INPUT: [2] }, { INPUT: [3] }],
      [{ INPUT: [7] }, { INPUT: [8] }],
    ],
  }),
  // Microseconds between two requests.
  "intervals.txt": "4000\n8000\n2000\n",
};

const grpc = "-i grpc -u GRPC";
const http = "-i http -u HTTP";

const modes = [
  `-m simple ${http} --shared-memory system`,
  `-m simple ${grpc} --shared-memory system --async --concurrency-range 2`,
  `-m simple ${grpc} --streaming --shared-memory system`,
  `-m simple_identity ${http} --shared-memory system --output-shared-memory-size 4096 --shape INPUT0:4 --string-length 20`,
  `-m simple ${http} --input-data numbers.json --input-tensor-format json --output-tensor-format json`,
  `-m simple ${grpc} --input-data numbers.json -b 2 --grpc-compression-algorithm gzip`,
  `-m simple ${http} --request-rate-range 100`,
  `-m simple ${grpc} --request-rate-range 100 --request-distribution poisson`,
  `-m simple ${grpc} --streaming --request-intervals intervals.txt`,
  `-m simple_sequence ${grpc} --streaming --concurrency-range 3 --sequence-length 6 --sequence-id-range 100:200`,
  `-m simple_sequence ${grpc} --streaming --request-rate-range 80 --num-of-sequences 4 --serial-sequences`,
  `-m simple_sequence ${http} --concurrency-range 2 --sequence-length 4 --sequence-length-variation 50`,
  `-m simple_dyna_sequence ${grpc} --streaming --concurrency-range 4 --sequence-length 5 --shared-memory system`,
  `-m simple_dyna_sequence ${http} --concurrency-range 2 --input-data sequences.json`,
  `-m repeat_int32 ${grpc} --streaming --input-data repeat.json`,
  `-m repeat_int32 ${grpc} --streaming --input-data repeat.json --concurrency-range 4`,
  `-m repeat_int32 ${grpc} --streaming --input-data repeat.json --request-rate-range 60`,
  `-m preprocess_inception_ensemble ${grpc} --string-length 500 -b 2`,
  `-m preprocess_inception_ensemble ${http} --string-data picture --concurrency-range 2`,
];

const groupOf = (command: string): number => {
  if (/--request-(?:rate|intervals)/.test(command)) return 3;
  return /shared-memory|-m simple_dyna/.test(command) ? 0 : command.includes("-m simple_sequence") ? 1 : 2;
};

/** Runs of perf_analyzer with streams, sequences, shared memory, input files and fixed rates. */
export const perfAnalyzerRuns: readonly ProgramRun[] = modes.map((mode) => ({ command: mode }));

const runsIn = (group: number): readonly ProgramRun[] =>
  perfAnalyzerRuns.filter(({ command }) => groupOf(command) === group);

/** Those that may run at the same time, in groups: only one group uses shared memory, and none uses the sequences of another. */
export const perfAnalyzerGroups: readonly (readonly ProgramRun[])[] = [0, 1, 2].map(runsIn);
/** Those that send at fixed times, which fail if the servers cannot keep up. They run alone. */
export const perfAnalyzerTimed: readonly ProgramRun[] = runsIn(3);
