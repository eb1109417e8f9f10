import { createGraph, type GraphFiles, INT32 } from './onnx-graph.ts'
import { quantise } from './quantise.ts'
import { concatenate, transpose, type Weights } from './safetensors.ts'

/** The numbers of a transformers `config.json` that the graph needs. */
export interface BertConfig {
  readonly hidden_size: number
  readonly num_attention_heads: number
  readonly num_hidden_layers: number
  readonly layer_norm_eps: number
}

/**
 * How the products with weights are computed: exactly in 32 bits, or with the weights as whole numbers of 7 bits and
 * what they are multiplied with as whole numbers of 8 bits, in a range that ONNX Runtime takes from each run.
 */
export type Precision = 'fp32' | 'q8'

/**
 * Raise it whenever the written graph changes. It is part of the cache folder's name, so old files are left
 * alone.
 */
export const GRAPH_VERSION = 3

/**
 * Writes a BERT encoder (Devlin et al. 2018, without its pooler) as an ONNX model.
 *
 * Inputs, all int64 [batch, sequence]: `input_ids`, `attention_mask` (1 real, 0 padding), `token_type_ids`.
 * Output: `last_hidden_state`, float [batch, sequence, hidden]. These are the names that transformers.js
 * expects.
 *
 * @param read returns a tensor by its PyTorch name, such as `encoder.layer.0.attention.self.query.weight`
 * @param precision of the products with weights; all else is in fp32
 * @param dataFile the name that the file of the large weights will have
 */
export function writeBertOnnx(
  config: BertConfig,
  read: (name: string) => Weights,
  precision: Precision,
  dataFile: string,
): GraphFiles {
  const graph = createGraph('bert')
  const { node, scalar, int64 } = graph

  const raw = (name: string) => graph.weights(name, read(name))
  const product = (x: string, name: string) => {
    const kernel = transpose(read(`${name}.weight`))
    return precision === 'fp32'
      ? node('MatMul', [x, graph.weights(`${name}.weight`, kernel)])
      : node('DynamicQuantizeMatMul', [x, ...graph.quantised(`${name}.weight`, quantise(kernel))])
  }
  const dense = (x: string, name: string) => node('Add', [product(x, name), raw(`${name}.bias`)])
  const layerNorm = (x: string, name: string, output?: string) =>
    node(
      'LayerNormalization',
      [x, raw(`${name}.weight`), raw(`${name}.bias`)],
      { axis: -1, epsilon: config.layer_norm_eps },
      output,
    )
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

  /**
   * One operation of ONNX Runtime for all that lies between the matrix products: biases, heads, scores, mask,
   * softmax. Its results are those of single operations to the last bit, and texts of 256 tokens take 2 to 5 %
   * less (docs/measurements.md#embedding-long-texts).
   */
  function attention(x: string, mask: string, name: string): string {
    const parts = ['query', 'key', 'value'].map((part) => `${name}.self.${part}`)
    const biases = graph.weights(
      `${name}.self.biases`,
      concatenate(parts.map((part) => read(`${part}.bias`))),
    )
    const merged = node('MultiHeadAttention', [...parts.map((part) => product(x, part)), biases, mask], {
      num_heads: config.num_attention_heads,
    })
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

  /** The operation adds −10,000 to scores of padding, which is exactly 0 after the softmax. */
  const mask = node('Cast', ['attention_mask'], { to: INT32 })
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
      outputs: { last_hidden_state: [...perToken, config.hidden_size] },
    },
    dataFile,
  )
}
