// Starts worker.ts when Daybook runs from source. Needed because on Node 20 `--import tsx` registers tsx in the main thread
// only: a worker given a .ts file ends with ERR_UNKNOWN_FILE_EXTENSION, whatever its execArgv (tried with tsx 4.23).
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
