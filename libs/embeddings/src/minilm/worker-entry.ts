/** Where the worker's code is, and the flags for its thread. */
export interface WorkerEntry {
  readonly url: URL
  /** Undefined: the flags of the process. */
  readonly execArgv: string[] | undefined
}

/**
 * Finds the worker beside the running code: from source (tsx, vitest) `worker-from-source.mjs`, in a bundle
 * the sibling entry `embedding-worker.js`. Bundle it with `embedding-worker=<path
 * to>/libs/embeddings/src/minilm/worker.ts`.
 */
export function findWorkerEntry(): WorkerEntry {
  // In a bundle, import.meta.url is the bundle's.
  const isSource = import.meta.url.endsWith('.ts')
  if (!isSource) return { url: new URL('./embedding-worker.js', import.meta.url), execArgv: undefined }
  // No flags: those of the process (--import tsx, vitest's loaders) are useless in the worker.
  return { url: new URL('./worker-from-source.mjs', import.meta.url), execArgv: [] }
}
