import { crc32, deflateRawSync } from 'node:zlib'

/** One file of an archive. Whatever is not given is as most programs write it. */
export interface ZipEntry {
  /** As bytes, if it is not UTF-8. */
  readonly name: string | Uint8Array
  readonly content?: string | Uint8Array
  /** 0x800 says that the name is UTF-8, 1 that the content is encrypted. Default none. */
  readonly flags?: number
  /** The mode of Unix. Default none. */
  readonly mode?: number
  readonly method?: number
  /** What the entry says of itself. Default the truth. */
  readonly size?: number
  readonly checksum?: number
}

/** An archive with these entries, bad ones too. @param zip64 whether it has the larger records of zip64. Default not */
export function zipOf(entries: readonly ZipEntry[], zip64 = false): Buffer {
  const [files, records]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const { name, content = '', flags = 0, mode = 0, method = 8, ...said } of entries) {
    const [path, bytes] = [Buffer.from(name as string), Buffer.from(content as string)]
    const packed = method === 8 ? deflateRawSync(bytes) : bytes
    const sum = said.checksum ?? crc32(bytes)
    const size = said.size ?? bytes.length
    const large = zip64 ? fields([8, size], [8, packed.length], [8, at]) : Buffer.alloc(0)
    const extra = zip64 ? Buffer.concat([fields([2, 1], [2, large.length]), large]) : large
    const sizes = zip64 ? [MOST, MOST] : [packed.length, size]
    const common = fields([2, 45], [2, flags], [2, method], [4, 0], [4, sum], ...sizes.map(four), [
      2,
      path.length,
    ])
    const file = Buffer.concat([fields([4, 0x04034b50]), common, fields([2, 0]), path, packed])
    records.push(
      fields([4, 0x02014b50], [2, 0x03_2d]),
      common,
      fields([2, extra.length], [2, 0], [4, 0], [4, (mode << 16) >>> 0], [4, zip64 ? MOST : at]),
      path,
      extra,
    )
    files.push(file)
    at += file.length
  }
  const directory = Buffer.concat(records)
  const [count, size] = [entries.length, directory.length]
  const larger = fields([4, 0x06064b50], [8, 44], [4, 0], [8, 0], [8, count], [8, count], [8, size], [8, at])
  const locator = fields([4, 0x07064b50], [4, 0], [8, at + size], [4, 1])
  const end = zip64
    ? [larger, locator, fields([4, 0x06054b50], [4, 0], [4, MOST], [4, MOST], [4, MOST], [2, 0])]
    : [fields([4, 0x06054b50], [4, 0], [2, count], [2, count], [4, size], [4, at], [2, 0])]
  return Buffer.concat([...files, directory, ...end])
}

const MOST = 0xff_ff_ff_ff

const four = (value: number): [number, number] => [4, value]

/** Numbers as so many bytes each, the lowest first. */
function fields(...all: readonly (readonly [bytes: number, value: number])[]): Buffer {
  return Buffer.concat(
    all.map(([bytes, value]) => {
      const field = Buffer.alloc(8)
      field.writeBigUInt64LE(BigInt(value))
      return field.subarray(0, bytes)
    }),
  )
}
