/** Bytes of a daemon's JavaScript heap, sampled while it works. */
export interface HeapSamples {
  /** Takes a sample. */
  take(): Promise<void>
  /** The least of the samples since the last call: what is left after a collection. */
  least(): number
}

/** @param url of the daemon, whose `/metrics` are read */
export function sampleHeap(url: string): HeapSamples {
  let samples: number[] = []
  return {
    async take() {
      const metrics = await (await fetch(`${url}/metrics`)).text()
      const found = /^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)$/mu.exec(metrics)?.[1]
      if (found === undefined) throw new Error('the metrics do not tell the size of the heap')
      samples.push(Number(found))
    },
    least() {
      const least = Math.min(...samples)
      samples = []
      return least
    },
  }
}
