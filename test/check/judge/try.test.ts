import { test } from "vitest";
import { startJudge, stubbedTriton } from "/work/main/test/check/judge/server-judge.ts";
test("x", async () => {
  const t0 = Date.now();
  const t = await stubbedTriton();
  const j = await startJudge(t, { strict: true });
  console.log("start", Date.now() - t0);
  const io = `input [{name:"I" data_type:TYPE_FP32 dims:[2]}] output [{name:"O" data_type:TYPE_FP32 dims:[2]}]`;
  const e = (o = "t") => `platform:"ensemble" ${io} ensemble_scheduling { step [{model_name:"a" model_version:-1 input_map{key:"I" value:"I"} output_map{key:"O" value:"${o}"}},{model_name:"b" model_version:-1 input_map{key:"I" value:"${o}"} output_map{key:"O" value:"O"}}] }`;
  for (const f of [
    { "a/config.pbtxt": `backend:"tensorrt" ${io}`, "a/1/": "" },
    { "a/config.pbtxt": `backend:"tensorrt" max_batch_size:-1 ${io}`, "a/1/": "" },
    { "a/config.pbtxt": `backend:"tensorrt" max_batch_size:"x" ${io}`, "a/1/": "" },
    { "a/config.pbtxt": `backend:"nope" ${io}`, "a/1/": "" },
    { "a/config.pbtxt": `backend:"openvino" ${io}` },
    { "a/config.pbtxt": `backend:"openvino" ${io}`, "a/1/": "", "b/config.pbtxt": `backend:"fil" ${io}`, "b/1/": "", "e/config.pbtxt": e(), "e/1/": "" },
    { "a/config.pbtxt": `backend:"openvino" ${io}`, "a/1/": "", "b/config.pbtxt": `backend:"fil" ${io.replaceAll("[2]", "[3]")}`, "b/1/": "", "e/config.pbtxt": e(), "e/1/": "" },
    { "a/config.pbtxt": `backend:"openvino" ${io}`, "a/1/": "", "e/config.pbtxt": e(), "e/1/": "" },
    { "e/config.pbtxt": e().replaceAll('"a"', '"e"').replaceAll('"b"', '"e"'), "e/1/": "" },
    { "a/config.pbtxt": `backend:"openvino" batch_output [{kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input:"I"}] ${io}`, "a/1/": "" },
    { "a/config.pbtxt": `backend:"openvino" ${io}`, "a/99999999999999999999/": "" },
    { "a/config.pbtxt": `backend:"openvino" ${io}`, "a/1/": "" },
  ]) { const t1 = performance.now(); const v = await j.judge(f); console.log((performance.now() - t1).toFixed(1), JSON.stringify([...v])); }
  const t1 = performance.now();
  for (let i = 0; i < 100; i++) await j.judge({ "a/config.pbtxt": `backend:"openvino" ${io}`, "a/1/": "", "b/config.pbtxt": `backend:"fil" ${io}`, "b/1/": "", "e/config.pbtxt": e("t" + i), "e/1/": "" });
  console.log("per ensemble case", (performance.now() - t1) / 100, j.deaths());
  await j.close();
}, 200000);
