import { type NamedTensors, type TensorData, tensorOf } from "@tritype/core";
import { expect } from "vitest";

/** A BYTES tensor with a row for each text. */
export const rows = (...values: readonly string[]): TensorData =>
  tensorOf("BYTES", [values.length, 1], values);

/** The answers to requests with `["1"]`, these rows and `["2"]` in one execution: a failure must not affect the other requests. */
export const obeyed: readonly (readonly [rows: readonly string[], expected: unknown])[] = [
  [
    ["1 + 1", "'ä😀'"],
    ["2", "ä😀"],
  ],
  [
    ["sleep(50, 3)", "sleep(10, 4)"],
    ["3", "4"],
  ],
  [["1", "null.x", "2"], failure("row 1: TypeError: Cannot read properties of null (reading 'x') (run.mjs:")],
  [["1", "Promise.reject(new RangeError('r'))"], failure("row 1: RangeError: r (run.mjs:")],
  [["console.log('{}\\u0000 no frame')"], ["undefined"]],
  [["process.stdout.write(String.fromCharCode(0, 16, 255).repeat(50000) + '\\n'); 5"], ["5"]],
  [["void Promise.reject(new Error('nobody catches this')), 6"], ["6"]],
  [["setTimeout(() => { throw new Error('in a timer') }), sleep(60, 7)"], ["7"]],
  [["process.exit(3)"], failure("row 0: Error: process.exit() was called")],
  [["process.abort()"], failure("row 0: Error: process.abort() was called")],
  [["process.kill(process.pid, 'SIGKILL')"], failure("Node was killed by SIGKILL while it ran this request")],
  [["process.kill(process.pid, 'SIGSEGV')"], failure("Node was killed by SIGSEGV while it ran this request")],
  [["process.reallyExit(4)"], failure("row 0: Error: process.reallyExit() was called")],
  [["for (;;);"], failure("the request took longer than 1 s")],
  [["sleep(60_000)"], failure("the request took longer than 1 s")],
  [["new Promise(() => {})"], failure("the request took longer than 1 s")],
  [["sleep(10).then(() => { for (;;); })"], failure("the request took longer than 1 s")],
];

function failure(text: string): unknown {
  return expect.stringContaining(`obey: ${text}`);
}

const numbers = {
  bool: [true, false, true, true, false, false],
  uint8: [0, 1, 2, 3, 254, 255],
  uint16: [0, 1, 2, 3, 4, 65535],
  uint32: [0, 1, 2, 3, 4, 4294967295],
  uint64: [0n, 1n, 2n, 3n, 4n, 18446744073709551615n],
  int8: [-128, -1, 0, 1, 2, 127],
  int16: [-32768, -1, 0, 1, 2, 32767],
  int32: [-2147483648, -1, 0, 1, 2, 2147483647],
  int64: [-9223372036854775808n, -1n, 0n, 1n, 2n, 9223372036854775807n],
  fp16: [-65504, -0, 0, 0.5, 2, Number.POSITIVE_INFINITY],
  fp32: [-3.4028234663852886e38, -0, 0, 0.5, Number.NaN, Number.POSITIVE_INFINITY],
  fp64: [-1.7976931348623157e308, -0, 0, 0.1, Number.NaN, 5e-324],
  bytes: ["", "ä", "😀", "a b", "\u0000", "x".repeat(70_000)],
} as const;

/** Values of every dtype, with this many columns, and a tensor of three dimensions. */
export const everyDtype = (batch: number, columns: number): NamedTensors =>
  new Map([
    ...Object.entries(numbers).map(([name, values]): readonly [string, TensorData] => [
      name,
      tensorOf(
        name.toUpperCase() as "FP32",
        [batch, columns],
        (values as readonly number[]).slice(0, batch * columns),
      ),
    ]),
    [
      "grid",
      tensorOf(
        "FP32",
        [batch, columns, 2],
        Array.from({ length: batch * columns * 2 }, (_, n) => n / 7),
      ),
    ],
  ]);
