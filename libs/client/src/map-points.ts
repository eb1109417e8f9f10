import type { PackedPoints } from './documents/memory-map.ts'

/** The points of a map, in columns: the memory at an index has there its value in each. */
export interface MapPoints {
  readonly count: number
  /** As the API takes them: `NOTE` becomes `note:0192f0c1-…`. */
  readonly ids: readonly string[]
  /** From -1 to 1, as is `y`. */
  readonly x: Float32Array
  readonly y: Float32Array
  readonly kinds: PackedPoints['kinds']
  /** The place of its kind in `kinds`. */
  readonly kind: Uint16Array
  readonly contexts: readonly string[]
  /** The place of its context in `contexts`; `NO_CONTEXT` for none. */
  readonly context: Uint16Array
  /** When it was remembered, in seconds since 1970. */
  readonly created: Float64Array
}

/** In the column `context`: the memory has none. */
export const NO_CONTEXT = 65_535

/** Reads the columns in which the API sends a map's points. */
export function toMapPoints(packed: PackedPoints): MapPoints {
  const x = new Float32Array(bytesOf(packed.x))
  const kind = new Uint16Array(bytesOf(packed.kind))
  return {
    count: x.length,
    ids: idsOf(new Uint8Array(bytesOf(packed.ids)), (at) => packed.kinds[kind[at] as number] ?? ''),
    x,
    y: new Float32Array(bytesOf(packed.y)),
    kinds: packed.kinds,
    kind,
    contexts: packed.contexts,
    context: new Uint16Array(bytesOf(packed.context)),
    created: new Float64Array(bytesOf(packed.created)),
  }
}

/** The columns are little-endian, as is every machine that runs this. */
function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes.buffer
}

function idsOf(bytes: Uint8Array, kindOf: (at: number) => string): string[] {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
  return Array.from({ length: bytes.length / 16 }, (_, at) => {
    const digits = hex.slice(at * 16, at * 16 + 16).join('')
    const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/u, '$1-$2-$3-$4-')
    return `${kindOf(at).toLowerCase()}:${uuid}`
  })
}
