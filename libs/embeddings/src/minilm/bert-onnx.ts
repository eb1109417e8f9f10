import { createGraph, type GraphFiles } from './onnx-graph.ts'
import { transpose, type Weights } from './safetensors.ts'

/** The numbers of a transformers `config.json` that the graph needs. */
export interface BertConfig {
  readonly hidden_size: number
  readonly num_attention_heads: number
  readonly num_hidden_layers: number
  readonly layer_norm_eps: number
}

/**
 * Raise it whenever the written graph changes. It is part of the cache folder's name, so old files are left
 * alone.
 */
export const GRAPH_VERSION = 2

/**
 * The lowest fp32 number. Added to a score, it becomes exactly 0 in the softmax, so padding has no effect.
 */
const MASKED = -3.4028234663852886e38

/**
 * Writes a BERT encoder (Devlin et al. 2018, without its pooler) as an ONNX model.
 *
 * Inputs, all int64 [batch, sequence]: `input_ids`, `attention_mask` (1 real, 0 padding), `token_type_ids`.
 * Output: `last_hidden_state`, float [batch, sequence, hidden]. These are the names that transformers.js
 * expects.
 *
 * @param read returns a tensor by its PyTorch name, such as `encoder.layer.0.attention.self.query.weight`
 * @param dataFile the name that the file of the large weights will have
 */
export function writeBertOnnx(
  config: BertConfig,
  read: (name: string) => Weights,
  dataFile: string,
): GraphFiles {
  const graph = createGraph('bert')
  const { node, scalar, int64 } = graph
  const hidden = config.hidden_size
  const headSize = hidden / config.num_attention_heads

  const raw = (name: string) => graph.weights(name, read(name))
  const dense = (x: string, name: string) => {
    const kernel = graph.weights(`${name}.weight`, transpose(read(`${name}.weight`)))
    return node('Add', [node('MatMul', [x, kernel]), raw(`${name}.bias`)])
  }
  const layerNorm = (x: string, name: string, output?: string) =>
    node(
      'LayerNormalization',
      [x, raw(`${name}.weight`), raw(`${name}.bias`)],
      { axis: -1, epsilon: config.layer_norm_eps },
      output,
    )
  const splitHeads = (x: string, perm: readonly number[]) =>
    node('Transpose', [node('Reshape', [x, int64([0, 0, config.num_attention_heads, headSize])])], { perm })
  /**
   * x · Φ(x) with the exact error function; ONNX Runtime recognises the pattern and runs it as one operation.
   */
  const gelu = (x: string) => {
    const erf = node('Erf', [node('Div', [x, scalar(Math.SQRT2)])])
    return node('Mul', [node('Mul', [x, node('Add', [erf, scalar(1)])]), scalar(0.5)])
  }

  function embeddings(): string {
    const length = node('Gather', [node('Shape', ['input_ids']), int64([1])])
    const words = node('Gather', [raw('embeddings.word_embeddings.weight'), 'input_ids'])
    const types = node('Gather', [raw('embeddings.token_type_embeddings.weight'), 'token_type_ids'])
    const places = node('Slice', [
      raw('embeddings.position_embeddings.weight'),
      int64([0]),
      length,
      int64([0]),
    ])
    return layerNorm(node('Add', [node('Add', [words, types]), places]), 'embeddings.LayerNorm')
  }

  /** [batch, 1, 1, sequence]: 0 for a real token, {@link MASKED} for padding. */
  function maskBias(): string {
    const real = node('Cast', [node('Unsqueeze', ['attention_mask', int64([1, 2])])], { to: 1 })
    return node('Mul', [node('Sub', [scalar(1), real]), scalar(MASKED)])
  }

  function attention(x: string, mask: string, name: string): string {
    const query = splitHeads(dense(x, `${name}.self.query`), [0, 2, 1, 3])
    const key = splitHeads(dense(x, `${name}.self.key`), [0, 2, 3, 1])
    const value = splitHeads(dense(x, `${name}.self.value`), [0, 2, 1, 3])
    const scores = node('Div', [node('MatMul', [query, key]), scalar(Math.sqrt(headSize))])
    const weights = node('Softmax', [node('Add', [scores, mask])], { axis: -1 })
    const heads = node('Transpose', [node('MatMul', [weights, value])], { perm: [0, 2, 1, 3] })
    const merged = node('Reshape', [heads, int64([0, 0, hidden])])
    const output = dense(merged, `${name}.output.dense`)
    return layerNorm(node('Add', [output, x]), `${name}.output.LayerNorm`)
  }

  function feedForward(x: string, name: string, output?: string): string {
    const inner = gelu(dense(x, `${name}.intermediate.dense`))
    return layerNorm(
      node('Add', [dense(inner, `${name}.output.dense`), x]),
      `${name}.output.LayerNorm`,
      output,
    )
  }

  const mask = maskBias()
  let x = embeddings()
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const name = `encoder.layer.${layer}`
    const last = layer === config.num_hidden_layers - 1
    x = feedForward(attention(x, mask, `${name}.attention`), name, last ? 'last_hidden_state' : undefined)
  }

  const perToken = ['batch', 'sequence'] as const
  return graph.encode(
    {
      inputs: { input_ids: perToken, attention_mask: perToken, token_type_ids: perToken },
      outputs: { last_hidden_state: [...perToken, hidden] },
    },
    dataFile,
  )
}
