import { readFileSync, mkdirSync, writeFileSync, rmSync } from "node:fs";
import { installTriton, serveTriton } from "./dist/index.js";
import { buildModel } from "@tritype/onnx";
import { tensorOf } from "@tritype/core";
const map={FLOAT:"FP32",DOUBLE:"FP64",FLOAT16:"FP16",INT8:"INT8",INT16:"INT16",INT32:"INT32",INT64:"INT64",UINT8:"UINT8",UINT16:"UINT16",UINT32:"UINT32",UINT64:"UINT64",BOOL:"BOOL",STRING:"BYTES"};
const code={FLOAT:1,UINT8:2,INT8:3,UINT16:4,INT16:5,INT32:6,INT64:7,STRING:8,BOOL:9,FLOAT16:10,DOUBLE:11,UINT32:12,UINT64:13};
let rows=readFileSync("/work/shared/facts/ort-verdicts.jsonl","utf8").trim().split("\n").map(l=>JSON.parse(l)).filter(r=>!r.autoComplete&&!r.files&&r.config&&r.onnx.opset>=13&&!r.onnx.initializersAsInputs?.length&&["dtype","dims","batch","names","reshape","optional","random-ok","random-mut1"].includes(r.cat)&&[...r.onnx.inputs,...r.onnx.outputs].every(p=>map[p.type]&&p.shape)&&r.onnx.inputs.length>0);
const N=Number(process.argv[2]); const step=rows.length/N; rows=Array.from({length:N},(_,i)=>rows[Math.floor((i+0.77)*step)]);
const port=p=>({name:p.name,type:{dtype:map[p.type],dims:p.shape.map(d=>d===null?-1:d)}});
const repo="/tmp/ts-helper/verd"; rmSync(repo,{recursive:true,force:true}); mkdirSync(repo,{recursive:true});
const models=[];
rows.forEach((r,i)=>{ try { const bytes=buildModel({name:"g",inputs:r.onnx.inputs.map(port),outputs:r.onnx.outputs.map(port)},b=>Object.fromEntries(r.onnx.outputs.map(o=>{
  const x=r.onnx.inputs[0].name; const [c]=b.node("Cast",[x],{to:{int:code[o.type]}});
  let shape; if(o.shape.length===0) shape=b.constant(tensorOf("INT64",[0],[])); else { const [s]=b.node("Size",[x]); const [s1]=b.node("Reshape",[s,b.constant(tensorOf("INT64",[1],[1n]))]); [shape]=b.node("Expand",[s1,b.constant(tensorOf("INT64",[1],[BigInt(o.shape.length)]))]); }
  return [o.name,b.node("Reshape",[c,shape])[0]]; })));
  const name="m"; const dir=`${repo}/../verd-src/${i}`; mkdirSync(`${dir}/m/1`,{recursive:true}); writeFileSync(`${dir}/m/config.pbtxt`,r.config); writeFileSync(`${dir}/m/1/model.onnx`,bytes); models.push([r,`${dir}/m`]); } catch(e){ console.log("skip",r.id,e.message.slice(0,100)); }});
const t=await installTriton({cache:"/work/main/.cache",notice:console.log});
const s=await serveTriton(t,{repository:repo,extraArguments:["--model-control-mode=explicit"]});
import { cpSync } from "node:fs";
let same=0; const bad=[]; const end=Date.now()+240000;
let done=0;
for(const [r,dir] of models){ if(Date.now()>end) break; done++; rmSync(`${repo}/m`,{recursive:true,force:true}); cpSync(dir,`${repo}/m`,{recursive:true}); const res=await fetch(`${s.httpUrl}/v2/repository/models/m/load`,{method:"POST",body:"{}"}); const text=await res.text(); if(res.ok===r.ready) same++; else bad.push([r.id,r.ready,r.reason.slice(0,200),text.slice(0,300)]); if(res.ok) await fetch(`${s.httpUrl}/v2/repository/models/m/unload`,{method:"POST",body:"{}"}).then(x=>x.text()); }
console.log(done,same); for(const b of bad) console.log(JSON.stringify(b)); await s.stop(); rmSync("/tmp/ts-helper/verd-src",{recursive:true,force:true});
