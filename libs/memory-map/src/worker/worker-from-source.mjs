// Starts worker.ts when Daybook runs from source: a worker given a .ts file does not load it on Node 20
// (see the embedding worker's file of this name).
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
