import { shellWord } from "@tritype/core";

/** Hub tasks (`pipeline_tag`) → their names for `optimum-cli export onnx --task`, where the names differ. */
const tasks: Readonly<Record<string, string>> = {
  "sentence-similarity": "feature-extraction",
  "text-ranking": "text-classification",
  "zero-shot-classification": "text-classification",
  "text-generation": "text-generation-with-past",
  summarization: "text2text-generation-with-past",
  translation: "text2text-generation-with-past",
  "text2text-generation": "text2text-generation-with-past",
  "automatic-speech-recognition": "automatic-speech-recognition-with-past",
  "image-feature-extraction": "feature-extraction",
};

/** Tasks that have the same name on the hub and in `optimum-cli`. */
const same: ReadonlySet<string> = new Set([
  "audio-classification",
  "depth-estimation",
  "feature-extraction",
  "fill-mask",
  "image-classification",
  "image-segmentation",
  "image-to-text",
  "object-detection",
  "question-answering",
  "text-classification",
  "token-classification",
  "zero-shot-image-classification",
  "zero-shot-object-detection",
]);

/**
 * The command from PyPI's `optimum-onnx` that exports a model to ONNX. @param model The model: `owner/name`, or a folder. @param task The
 * hub's name for the task.
 */
export const exportCommand = (model: string, task: string | undefined, folder: string): string =>
  `optimum-cli export onnx --model ${shellWord(model)} --task ${optimumTask(task)} ${shellWord(`${folder}/`)}`;

const optimumTask = (task = ""): string => tasks[task] ?? (same.has(task) ? task : "auto");
