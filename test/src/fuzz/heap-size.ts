/** Bytes of a daemon's JavaScript heap, as its metrics tell; null if it does not answer. */
export async function heapSize(url: string): Promise<number | null> {
  const metrics = await fetch(`${url}/metrics`).then(
    (response) => response.text(),
    () => null,
  )
  if (metrics === null) return null
  const found = /^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)$/mu.exec(metrics)?.[1]
  if (found === undefined) throw new Error('the metrics do not tell the size of the heap')
  return Number(found)
}
