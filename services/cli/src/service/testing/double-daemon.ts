import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { takeLock } from '@daybook/runtime/exclusive-lock'

/*
 * A daemon as far as those see it who start and stop one: it locks the data folder, names its address there, answers, ends when it is told
 * to, and ends with 1 where a setting is wrong. The real one takes some seconds to start.
 */

const lock = takeLock(join(process.env['DAYBOOK_DATA_DIR'] ?? '', 'daemon.lock'))
if (lock === null || process.env['DAYBOOK_PORT'] === 'many') process.exit(1)
const server = createServer((_, response) => response.end('{}'))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  lock.describe({ url: `http://127.0.0.1:${port}` })
})
process.once('SIGTERM', () => process.exit(0))
