import { newId } from '@daybook/memory/id'
import { type StreamSettings, streamSettings } from '../jetstream/stream-settings.ts'

/** Set by `global-setup.ts` or by the person who runs the tests; see there. */
export const TEST_NATS_URL = 'DAYBOOK_TEST_NATS_URL'

/** The server that suites share; undefined if there is none, and then suites that need it are left out. */
export const testNatsUrl = (): string | undefined => process.env[TEST_NATS_URL] || undefined

/** A small stream for one test: suites share a server, but never a stream. */
export function ownStream(): StreamSettings {
  const id = newId().replaceAll('-', '')
  return streamSettings({ name: `TEST_${id}`, subjectPrefix: `test-${id}`, maxBytes: 64 * 1024 * 1024 })
}
