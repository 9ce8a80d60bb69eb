import { test } from "vitest";
import { compareVerdicts } from "./agreement.ts";
import { startJudge, stubbedTriton } from "./server-judge.ts";
import { writeFileSync } from "node:fs";
test("x", async () => {
  const t = await stubbedTriton();
  const io = `input [{name:"I" data_type:TYPE_FP32 dims:[2]}] output [{name:"O" data_type:TYPE_FP32 dims:[2]}]`;
  const j = await startJudge(t, { strict: true });
  const out: string[] = [];
  let n = 0;
  for (const platform of ["", "ensemble", "foo", "tensorrt_plan", "tensorflow_graphdef", "pytorch_libtorch", "onnxruntime_onnx"])
    for (const backend of ["", "fil", "tensorrt"])
      for (const file of ["", "model.xml", "model.plan", "model.pt", "model.savedmodel", "model.graphdef", "model.onnx", "x"])
        for (const version of ["", "model.xml", "model.plan", "model.pt", "model.onnx"]) {
          const lines = [platform && `platform: "${platform}"`, backend && `backend: "${backend}"`, file && `default_model_filename: "${file}"`, io, platform === "ensemble" ? `ensemble_scheduling { step [{model_name:"a" model_version:-1 input_map{key:"I" value:"I"} output_map{key:"O" value:"O"}}] }` : ""];
          const files = { ...(platform === "ensemble" ? { "a/config.pbtxt": `backend: "fil" ${io}`, "a/1/": "" } : {}), "m/config.pbtxt": lines.filter(Boolean).join("\n"), [`m/1/${version}`]: "" };
          const v = await j.judge(files); n++;
          const c = compareVerdicts(files, v, { strict: true, names: false });
          if (c.disagreements.length) out.push(JSON.stringify([platform, backend, file, version]) + " " + JSON.stringify(c.disagreements[0]));
        }
  for (const platform of ["", "ensemble", "foo", "tensorrt_plan", "pytorch_libtorch"]) for (const [file, found] of [["model.py", "model.py"], ["", "model.py"]]) {
    const files = { ...(platform === "ensemble" ? { "a/config.pbtxt": `backend: "fil" ${io}`, "a/1/": "" } : {}), "m/config.pbtxt": `platform: "${platform}" default_model_filename: "${file}" ${io} ${platform === "ensemble" ? `ensemble_scheduling { step [{model_name:"a" model_version:-1 input_map{key:"I" value:"I"} output_map{key:"O" value:"O"}}] }` : ""}`, [`m/1/${found}`]: "class TritonPythonModel:\n    pass\n" };
    const v = await j.judge(files); n++;
    const c = compareVerdicts(files, v, { strict: true, names: false });
    if (c.disagreements.length) out.push(JSON.stringify([platform, file, found]) + " " + JSON.stringify(c.disagreements[0]));
  }
  await j.close();
  writeFileSync("/tmp/check-judge/try.txt", n + "\n" + out.join("\n"));
}, 300000);
