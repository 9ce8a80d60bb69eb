import { expect, test } from "vitest";
import { readPrinted, readProblem } from "./server-log.ts";

test.each([
  [
    `E1121 19:13:39.829595 11036 model_repository_manager.cc:1460] "Poll failed for model directory 'b': model input 'A' must specify 'data_type' for b"`,
    "Poll failed for model directory 'b': model input 'A' must specify 'data_type' for b",
  ],
  [
    String.raw`E1121 19:13:40.1 11036 model_lifecycle.cc:642] "failed to load 'm' version 1: Internal: NameError: \"x\"\n\nAt:\n  model.py(1)\n"`,
    `failed to load 'm' version 1: Internal: NameError: "x"\n\nAt:\n  model.py(1)`,
  ],
  [
    '[libprotobuf ERROR /b/text_format.cc:337] Error parsing text-format inference.ModelConfig: 1:27: Message type "inference.ModelConfig" has no field named "max_batch_siz".',
    'Error parsing text-format inference.ModelConfig: 1:27: Message type "inference.ModelConfig" has no field named "max_batch_siz".',
  ],
  [
    `E1121 19:19:55.282613 19194 main.cc:293] "failed to start Metrics service: Unavailable - Socket '127.0.0.1:38617' already in use "`,
    "failed to start Metrics service: Unavailable - Socket '127.0.0.1:38617' already in use",
  ],
  [
    "error: creating server: Internal - failed to load all models",
    "creating server: Internal - failed to load all models",
  ],
  ["Error: Failed to initialize NVML", undefined],
  [
    "E1127 07:19:39.8 11036 model_repository_manager.cc:93] \"Failed to determine modification time for 'as://account/models/m': Internal: Unable to get blob property for file at as://account/models/m:404 The specified blob does not exist.\"",
    undefined,
  ],
  ['E1121 19:13:39.828323 11036 server.cc:241] "CudaDriverHelper has not been initialized."', undefined],
  [`I1121 19:13:40.176596 11036 model_lifecycle.cc:777] "failed to load 'bad2'"`, undefined],
])("%s", (line, problem) => {
  expect(readProblem(line)).toBe(problem);
});

test.each([
  [
    'I1129 22:05:31.120471 4242 model.py:274] "clean clean_0_0: printed \\"x\\" \\\\ 1"',
    { instance: "clean_0_0", text: 'printed "x" \\ 1' },
  ],
  [
    'W1129 22:05:31.120471 4242 model.py:141] "clean a_1: Node was killed by SIGKILL while it ran this request; restarting Node"',
    { instance: "a_1", text: "Node was killed by SIGKILL while it ran this request; restarting Node" },
  ],
  ['I1129 22:05:31.120471 4242 model.py:12] "my own: line"', undefined],
  ['I1129 22:05:31.120471 4242 model_lifecycle.cc:777] "clean clean_0_0: loaded"', undefined],
  ["clean clean_0_0: printed", undefined],
])("%s is printed by a function, or not", (line, printed) => {
  expect(readPrinted(line)).toEqual(printed);
});
