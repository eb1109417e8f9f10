import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/** Where the worker's code is and the flags its thread needs. */
export interface WorkerEntry {
  readonly url: URL
  /** Undefined: the flags of the process. */
  readonly execArgv: string[] | undefined
}

/**
 * Finds the worker beside the running code.
 *
 * From source (tsx, vitest) it is `worker.ts`, and its thread needs tsx: vitest compiles on its own and passes nothing on,
 * so tsx is registered by address, which works from every working directory. In a bundle it is the sibling entry
 * `embedding-worker.js`; build it with `embedding-worker=<path to>/libs/embeddings/src/minilm/worker.ts`.
 *
 * @param from `import.meta.url` of the calling module
 */
export function findWorkerEntry(from: string): WorkerEntry {
  if (!new URL(from).pathname.endsWith('.ts')) {
    return { url: new URL('./embedding-worker.js', from), execArgv: undefined }
  }
  // Not import.meta.resolve: vitest's module runner does not have it.
  const tsx = pathToFileURL(createRequire(from).resolve('tsx')).href
  return { url: new URL('./worker.ts', from), execArgv: ['--import', tsx] }
}
