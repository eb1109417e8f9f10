import prettyBytes from 'pretty-bytes'

/** Bytes in words: `12.3 MiB`. */
export const size = (bytes: number): string =>
  prettyBytes(bytes, { binary: true, minimumFractionDigits: bytes < 1024 ? 0 : 1, maximumFractionDigits: 1 })
