// Starts worker.ts when Daybook runs from source. On Node 20, `--import tsx` registers tsx only in the main
// thread: a worker given a .ts file ends with ERR_UNKNOWN_FILE_EXTENSION, whatever its execArgv (tried with
// tsx 4.23).
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
