import { PRIVATE_UMASK } from '@daybook/runtime/private-folder'
import { EXIT } from './command-line.ts'
import { runDaybook } from './run.ts'

// Files that a command writes, such as an export, are for the user alone.
process.umask(PRIVATE_UMASK)
// In `daybook … | head`, `head` closes the pipe when it has enough. That is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed)
})
await runDaybook(process.argv.slice(2))
