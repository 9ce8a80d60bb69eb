// ONNX Runtime alone in a separate process: rows per second of one file at each batch size. Argument: the file.
import { openHere } from "./raw-session.mjs";

const [file] = process.argv.slice(2);
const session = await openHere(file);

/** Rows per second at this batch and length, over `seconds`. */
const rate = async (batch, length, seconds) => {
  const tensor = (value) => ["int64", new BigInt64Array(batch * length).fill(value), [batch, length]];
  const feeds = { input_ids: tensor(1012n), attention_mask: tensor(1n), token_type_ids: tensor(0n) };
  await session.run(feeds);
  const begin = performance.now();
  let runs = 0;
  while (performance.now() - begin < seconds * 1000) {
    await session.run(feeds);
    runs++;
  }
  return (runs * batch * 1000) / (performance.now() - begin);
};

process.on("message", async ({ batches, length, seconds }) => {
  const rates = [];
  for (const batch of batches) rates.push([batch, await rate(batch, length, seconds)]);
  process.send(rates);
});
process.once("disconnect", () => process.exit(0));
process.send("ready");
