import { spawn } from 'node:child_process'
import { nativeTypesenseProgram, startNativeTypesense } from '@daybook/typesense-double/native-typesense'
import type { TypesenseServer } from '../chaos/cluster-typesense.ts'
import { printedAddress, untilExit } from '../support/child-process.ts'
import { REPOSITORY } from '../support/daemon.ts'

const API_KEY = 'a-key-for-tests'

/**
 * Starts the real server that `DAYBOOK_TYPESENSE_SERVER` names, else the double in its own process. In the
 * process that measures, the double's work would count as Daybook's time.
 */
export async function startTypesenseProcess(): Promise<TypesenseServer> {
  if (nativeTypesenseProgram() !== null) return startNativeTypesense()
  const double = spawn(process.execPath, ['--import', 'tsx', 'test/src/typesense-double/main.ts', '0'], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TYPESENSE_API_KEY: API_KEY },
  })
  const killIt = () => double.kill('SIGKILL')
  process.once('exit', killIt)
  const stop = async () => {
    const ended = untilExit(double)
    double.kill('SIGTERM')
    await ended
    process.off('exit', killIt)
  }
  const url = await printedAddress(double, /(http:\/\/[\d.]+:\d+)/u)
  if (url !== null) return { url, apiKey: API_KEY, stop }
  await stop()
  throw new Error('the double of Typesense did not start')
}
