import onnxProto from 'onnx-proto'
import type { QuantisedWeights } from './quantise.ts'
import type { Weights } from './safetensors.ts'

const { onnx } = onnxProto
const { FLOAT, INT8, INT64 } = onnx.TensorProto.DataType
/** The type that `Cast` takes as its attribute `to`. */
export const { INT32 } = onnx.TensorProto.DataType
const { AttributeType } = onnx.AttributeProto

/**
 * An ONNX model with its weights in a separate file, which ONNX Runtime maps into memory instead of copying.
 */
export interface GraphFiles {
  /** The file of the graph, which names the weights' file. */
  readonly model: Uint8Array
  /** The large weights, one after the other. */
  readonly data: Uint8Array
}

/**
 * Weights smaller than this many bytes stay in the graph's file, where the runtime sees them while planning.
 */
const LARGE = 1_024
/** Large weights begin at multiples of this many bytes, so that they can be mapped. */
const PAGE = 4_096

/** The name of a value that flows through the graph. */
type Value = string
type Attributes = Readonly<Record<string, number | readonly number[]>>

/**
 * Collects nodes and weights of an ONNX graph. Every `node` returns the name of its output, so that calls can
 * be nested.
 */
export interface GraphBuilder {
  node(opType: string, inputs: readonly Value[], attributes?: Attributes, output?: Value): Value
  weights(name: string, tensor: Weights): Value
  /** @returns the numbers and the scales */
  quantised(name: string, tensor: QuantisedWeights): [Value, Value]
  scalar(value: number): Value
  /** An int64 vector, or an int64 scalar if a number is given. */
  int64(values: readonly number[] | number): Value
  /**
   * The finished model. Inputs are int64 and outputs float; a dimension given as a string is dynamic.
   * @param dataFile the name that the weights' file will have, beside the model's
   */
  encode(
    shapes: {
      inputs: Readonly<Record<string, readonly (string | number)[]>>
      outputs: Readonly<Record<string, readonly (string | number)[]>>
    },
    dataFile: string,
  ): GraphFiles
}

/** Operations that only ONNX Runtime has, in a domain of their own. All others are ONNX's. */
const CONTRIBUTED = new Set(['DynamicQuantizeMatMul', 'MultiHeadAttention'])
const CONTRIBUTED_DOMAIN = 'com.microsoft'

/** Attributes that ONNX declares as floats; all others that our graph uses are integers. */
const FLOAT_ATTRIBUTES = new Set(['epsilon'])

function attribute(name: string, value: number | readonly number[]) {
  if (typeof value !== 'number') return { name, type: AttributeType.INTS, ints: [...value] }
  return FLOAT_ATTRIBUTES.has(name)
    ? { name, type: AttributeType.FLOAT, f: value }
    : { name, type: AttributeType.INT, i: value }
}

function valueInfo(elemType: number, shapes: Readonly<Record<string, readonly (string | number)[]>>) {
  return Object.entries(shapes).map(([name, shape]) => {
    const dim = shape.map((size) => (typeof size === 'string' ? { dimParam: size } : { dimValue: size }))
    return { name, type: { tensorType: { elemType, shape: { dim } } } }
  })
}

/** Little-endian bytes of a typed array, without copying. */
const bytesOf = (array: Float32Array | BigInt64Array | Int8Array) =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

/** Moves large weights to a separate file. */
function moveOut(tensors: readonly InstanceType<typeof onnx.TensorProto>[], dataFile: string): Uint8Array {
  const large = tensors.filter(({ rawData }) => rawData.length >= LARGE)
  const size = large.reduce((end, { rawData }) => pageAfter(end) + rawData.length, 0)
  const data = new Uint8Array(size)
  let end = 0
  for (const tensor of large) {
    const { rawData } = tensor
    const offset = pageAfter(end)
    data.set(rawData, offset)
    end = offset + rawData.length
    tensor.rawData = new Uint8Array(0)
    tensor.dataLocation = onnx.TensorProto.DataLocation.EXTERNAL
    tensor.externalData = [
      { key: 'location', value: dataFile },
      { key: 'offset', value: String(offset) },
      { key: 'length', value: String(rawData.length) },
    ]
  }
  return data
}

const pageAfter = (end: number) => Math.ceil(end / PAGE) * PAGE

/** An empty graph of ONNX opset 17 (the first with LayerNormalization), file format version 8. */
export function createGraph(graphName: string): GraphBuilder {
  const nodes: InstanceType<typeof onnx.NodeProto>[] = []
  const initializers: InstanceType<typeof onnx.TensorProto>[] = []
  const constants = new Map<string, Value>()

  function addTensor(name: string, dataType: number, dims: readonly number[], rawData: Uint8Array): Value {
    initializers.push(onnx.TensorProto.create({ name, dataType, dims: [...dims], rawData }))
    return name
  }

  function constant(key: string, add: (name: string) => Value): Value {
    let name = constants.get(key)
    if (!name) constants.set(key, (name = add(`constant_${constants.size}`)))
    return name
  }

  return {
    node(opType, input, attributes = {}, output = `${opType}_${nodes.length}`) {
      const attributesOfNode = Object.entries(attributes).map(([name, value]) => attribute(name, value))
      nodes.push(
        onnx.NodeProto.create({
          opType,
          domain: CONTRIBUTED.has(opType) ? CONTRIBUTED_DOMAIN : '',
          name: `node_${nodes.length}`,
          input: [...input],
          output: [output],
          attribute: attributesOfNode,
        }),
      )
      return output
    },
    weights: (name, { shape, values }) => addTensor(name, FLOAT, shape, bytesOf(values)),
    quantised: (name, { shape, numbers, scales }) => [
      addTensor(`${name}.numbers`, INT8, shape, bytesOf(numbers)),
      addTensor(`${name}.scales`, FLOAT, [scales.length], bytesOf(scales)),
    ],
    scalar: (value) =>
      constant(`f${value}`, (name) => addTensor(name, FLOAT, [], bytesOf(new Float32Array([value])))),
    int64: (values) =>
      constant(`i${JSON.stringify(values)}`, (name) => {
        const list = typeof values === 'number' ? [values] : values
        const dims = typeof values === 'number' ? [] : [list.length]
        return addTensor(name, INT64, dims, bytesOf(BigInt64Array.from(list, BigInt)))
      }),
    encode({ inputs, outputs }, dataFile) {
      const data = moveOut(initializers, dataFile)
      const model = onnx.ModelProto.encode({
        irVersion: 8,
        producerName: 'daybook',
        opsetImport: [
          { domain: '', version: 17 },
          { domain: CONTRIBUTED_DOMAIN, version: 1 },
        ],
        graph: {
          name: graphName,
          node: nodes,
          initializer: initializers,
          input: valueInfo(INT64, inputs),
          output: valueInfo(FLOAT, outputs),
        },
      }).finish()
      return { model, data }
    },
  }
}
