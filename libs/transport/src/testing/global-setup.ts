import { connect } from '@nats-io/transport-node'
import { parseServerAddress } from '../jetstream/server-address.ts'
import { HAS_NATIVE_NATS, startNativeNats } from './native-nats.ts'
import { TEST_NATS_URL } from './test-nats.ts'

/**
 * vitest's global setup: provides, once per run, a NATS server with JetStream for the suites.
 *
 * - `DAYBOOK_TEST_NATS_URL`, if given: suites make their own streams there and remove them.
 * - else a nats-server of this machine, started for the run
 * - else none: a loud message, or an error with `DAYBOOK_TEST_REQUIRE=all`
 *
 * Suites that kill a server always start their own (`native-nats.ts`).
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  const given = process.env[TEST_NATS_URL]
  if (given) await checkJetStream(given)
  if (!HAS_NATIVE_NATS) {
    const what = given ? 'a NATS server that is killed and wiped' : 'NATS JetStream'
    const problem = `${what}: no nats-server is installed here. Run infra/debian/install${given ? '' : `, or set ${TEST_NATS_URL}`}.`
    if (process.env.DAYBOOK_TEST_REQUIRE === 'all') throw new Error(`Cannot test on ${problem}`)
    process.stderr.write(`\n*** NOT TESTED on ${problem}\n\n`)
    return undefined
  }
  if (given) return undefined
  const server = await startNativeNats()
  process.env[TEST_NATS_URL] = server.url
  return async () => {
    delete process.env[TEST_NATS_URL]
    await server.stop()
  }
}

async function checkJetStream(url: string): Promise<void> {
  const connection = await connect(parseServerAddress(url).options)
  const { jetstream } = connection.info ?? {}
  await connection.close()
  if (jetstream !== true) throw new Error(`The server of ${TEST_NATS_URL} runs without JetStream (-js)`)
}
