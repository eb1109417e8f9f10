import { newId } from '@daybook/memory/id'
import { isBare, ofServer } from '@daybook/runtime/testing/needs'
import { type StreamSettings, streamSettings } from '../jetstream/stream.ts'

/** Set by `global-setup.ts` or by the person who runs the tests; see there. */
export const TEST_NATS_URL = 'DAYBOOK_TEST_NATS_URL'

/** The address of the server that suites share; empty if there is none. */
export const testNatsUrl = (): string => (isBare() ? '' : (process.env[TEST_NATS_URL] ?? ''))

/** For suites of the shared server. */
export const NATS = ofServer(
  'NATS JetStream',
  testNatsUrl() === '' ? 'no nats-server is installed here' : null,
)

/** A small stream for one test: suites share a server, but never a stream. */
export function ownStream(): StreamSettings {
  const id = newId().replaceAll('-', '')
  return streamSettings({ name: `TEST_${id}`, subjectPrefix: `test-${id}`, maxBytes: 64 * 1024 * 1024 })
}
