import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Where tests keep the converted model, so that only the first run converts it. Setting:
 * `DAYBOOK_TEST_CACHE`, default `daybook-test-cache` in the system's temporary folder.
 */
export const testCacheDir = (): string =>
  process.env.DAYBOOK_TEST_CACHE ?? join(tmpdir(), 'daybook-test-cache')
