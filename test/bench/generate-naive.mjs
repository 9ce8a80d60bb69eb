import { availableParallelism } from "node:os";
import { join } from "node:path";
import ort from "onnxruntime-node";
import { special } from "./generate-rows.mjs";

/** The session options of the native twin, so that only the loop differs. */
const options = {
  executionProviders: ["cpu"],
  intraOpNumThreads: availableParallelism(),
  extra: { session: { intra_op: { allow_spinning: "0" } } },
};

/**
 * The naive implementation: the encoder once, then, for each new token, the decoder over all tokens so far, without a
 * cache.
 */
export const openNaive = async (folder) => {
  const open = (file) => ort.InferenceSession.create(join(folder, file), options);
  const encoder = await open("encoder_model.onnx");
  const decoder = await open("decoder_model.onnx");

  /** The tokens of one row, up to and including the end token. */
  return async ({ prompt, language }, { min_new_tokens: least = 0, max_new_tokens: most = 63 } = {}) => {
    const mask = int64(prompt.map(() => 1));
    const { last_hidden_state: hidden } = await encoder.run({
      input_ids: int64(prompt),
      attention_mask: mask,
    });
    const tokens = [];
    while (tokens.length < most && tokens.at(-1) !== special.eos_token_id) {
      const feeds = {
        input_ids: int64([special.decoder_start_token_id, ...tokens]),
        encoder_hidden_states: hidden,
        encoder_attention_mask: mask,
      };
      const { logits } = await decoder.run(feeds, ["logits"]);
      const best = likeliest(logits, tokens.length + 1 < least ? special.eos_token_id : -1);
      tokens.push(tokens.length === 0 ? language : best);
    }
    return tokens;
  };
};

const int64 = (ids) => new ort.Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]);

/** The id with the highest score after the last token, except `refused`. */
const likeliest = ({ data, dims }, refused) => {
  const scores = data.subarray(data.length - dims.at(-1));
  let best = refused === 0 ? 1 : 0;
  for (let id = 0; id < scores.length; id++) if (id !== refused && scores[id] > scores[best]) best = id;
  return best;
};
