import { encodePng } from "../../packages/inspector/src/png.ts";

/** Two round fruits on a table, as red, green and blue. */
export const still = (width: number, height: number, turned = false): Uint8Array => {
  const values = new Uint8Array(width * height * 3);
  const fruits = [
    { x: 0.3, y: 0.6, radius: 0.2, colour: [200, 45, 40] },
    { x: 0.68, y: 0.66, radius: 0.15, colour: [240, 150, 30] },
  ] as const;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [u, v] = [turned ? 1 - x / width : x / width, y / height];
      const wall = [120 + 90 * v, 150 + 60 * v, 175 + 30 * v];
      let colour = v < 0.72 ? wall : [150 - 60 * (v - 0.72), 105 - 50 * (v - 0.72), 70];
      for (const fruit of fruits) {
        const [dx, dy] = [((u - fruit.x) * width) / height, v - fruit.y];
        const distance = Math.hypot(dx, dy) / fruit.radius;
        const light = 1.15 - 0.6 * Math.hypot(dx / fruit.radius + 0.35, dy / fruit.radius + 0.35);
        if (distance < 1) colour = fruit.colour.map((one) => one * Math.max(0.35, light));
      }
      values.set(
        colour.map((one) => Math.round(Math.min(255, one))),
        (y * width + x) * 3,
      );
    }
  return values;
};

export const photo: Buffer = encodePng({ width: 480, height: 320, channels: 3, values: still(480, 320) });

const python = (body: string): string => `import json
import numpy as np
import triton_python_backend_utils as pb_utils


def tensor(request, name):
    return pb_utils.get_input_tensor_by_name(request, name).as_numpy()


def response(**outputs):
    return pb_utils.InferenceResponse([pb_utils.Tensor(name, value) for name, value in outputs.items()])


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

${body}
`;

const port = (name: string, type: string, dims: string): string =>
  `{ name: "${name}" data_type: TYPE_${type} dims: [ ${dims} ] }`;

/** Boxes in pixels of the photo: as tensors, and as JSON. */
const detect = python(`    def answer(self, request):
        assert tensor(request, "IMAGE").size == 1
        boxes = np.array([[80, 128, 208, 256], [278, 163, 374, 259], [-40, 250, 120, 400], [3, 3, 3, 3]], np.float32)
        found = [
            {"box": {"xmin": 80, "ymin": 128, "xmax": 208, "ymax": 256}, "label": "apple", "score": 0.98},
            {"box": {"xmin": 278, "ymin": 163, "xmax": 374, "ymax": 259}, "label": "orange", "score": 0.91},
        ]
        return response(
            boxes=boxes,
            scores=np.array([0.98, 0.91, 0.34, 0.0], np.float32),
            labels=np.array(["apple", "orange", "table", "nothing"], np.object_),
            found=np.array([json.dumps(found)], np.object_),
        )`);

/** ImageNet's normalization, with the channels in front. */
const prepare = python(`    def answer(self, request):
        image = tensor(request, "IMAGE").astype(np.float32) / 255
        normal = (image - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
        return response(PIXELS=normal.transpose(0, 3, 1, 2).astype(np.float32))`);

/** The mean and the highest value of each channel. */
const channels = python(`    def answer(self, request):
        image = tensor(request, "IMAGE")
        return response(
            mean=image.mean(axis=(0, 2, 3), dtype=np.float64).astype(np.float32),
            highest=image.max(axis=(0, 2, 3)),
        )`);

/** Boxes as fractions, each with y before x. Those of the second row are mirrored horizontally. */
const locate = python(`    def answer(self, request):
        rows = tensor(request, "PIXELS").shape[0]
        nan = float("nan")
        first = [[0.4, 0.16, 0.8, 0.44], [0.51, 0.58, 0.81, 0.78], [nan, 0, 1, 1], [-2, -2, -1, -1]]
        turned = [[a, 1 - d, c, 1 - b] for a, b, c, d in first[:2]] + [[0, 0, 0, 0]] * 2
        return response(
            detection_boxes=np.array([first, turned][:rows], np.float32),
            detection_scores=np.array([[0.9, 0.8, 0.7, 0.6]] * rows, np.float32),
            detection_classes=np.array([[53, 55, 1, 1]] * rows, np.int64),
        )`);

/** Boxes with their scores and classes in one tensor, and a classification, as numbers of a label file. */
const spot = python(`    def answer(self, request):
        assert tensor(request, "IMAGE").size == 1
        boxes = [[80, 128, 208, 256, 0.98, 1], [278, 163, 374, 259, 0.91, 2], [0, 0, 0, 0, 0, 0]]
        logits = np.linspace(-1, 4, 200, dtype=np.float32)
        return response(
            detections=np.array([boxes], np.float32),
            scores=np.array([0.1, 0.7, 0.2], np.float32),
            label=np.array([1], np.int64),
            logits=logits,
        )`);

const found = [
  port("detection_boxes", "FP32", "4, 4"),
  port("detection_scores", "FP32", "4"),
  port("detection_classes", "INT64", "4"),
];
const image = port("IMAGE", "UINT8", "-1, -1, 3");
const pixels = port("PIXELS", "FP32", "3, -1, -1");
const sameNames = (side: string, ...names: readonly string[]): string =>
  names.map((name) => `${side}_map { key: "${name}" value: "${name}" }`).join(" ");

/** A repository of models that find objects. */
export const pictureModels: Readonly<Record<string, string>> = {
  "detect/config.pbtxt": `backend: "python"\ninput ${port("IMAGE", "STRING", "1")}\noutput [ ${[
    port("boxes", "FP32", "-1, 4"),
    port("scores", "FP32", "-1"),
    port("labels", "STRING", "-1"),
    port("found", "STRING", "1"),
  ].join(", ")} ]\n`,
  "detect/1/model.py": detect,
  "spot/config.pbtxt": `backend: "python"\ninput ${port("IMAGE", "STRING", "1")}\noutput [ ${[
    port("detections", "FP32", "1, -1, 6").replace(" }", ' label_filename: "fruits.txt" }'),
    port("scores", "FP32", "3").replace(" }", ' label_filename: "fruits.txt" }'),
    port("label", "INT64", "1").replace(" }", ' label_filename: "fruits.txt" }'),
    port("logits", "FP32", "200").replace(" }", ' label_filename: "kinds.txt" }'),
  ].join(", ")} ]\n`,
  "spot/1/model.py": spot,
  "spot/fruits.txt": "<b>pear</b>\napple\norange\n",
  "spot/kinds.txt": Array.from({ length: 200 }, (_, i) => `kind ${i}\n`).join(""),
  "channels/config.pbtxt": `backend: "python"\ninput ${port("IMAGE", "FP32", "1, 3, 32, 48")}\noutput [ ${port("mean", "FP32", "3")}, ${port("highest", "FP32", "3")} ]\n`,
  "channels/1/model.py": channels,
  "prepare/config.pbtxt": `backend: "python"\nmax_batch_size: 4\ninput ${image}\noutput ${pixels}\n`,
  "prepare/1/model.py": prepare,
  "locate/config.pbtxt": `backend: "python"\nmax_batch_size: 4\ninput ${pixels}\noutput [ ${found.join(", ")} ]\n`,
  "locate/1/model.py": locate,
  "vision/config.pbtxt": `platform: "ensemble"\nmax_batch_size: 4\ninput ${image}\noutput [ ${found.join(", ")} ]\nensemble_scheduling { step [
  { model_name: "prepare" model_version: -1 ${sameNames("input", "IMAGE")} ${sameNames("output", "PIXELS")} },
  { model_name: "locate" model_version: -1 ${sameNames("input", "PIXELS")} ${sameNames("output", "detection_boxes", "detection_scores", "detection_classes")} }
] }\n`,
  "vision/1/.keep": "",
};
