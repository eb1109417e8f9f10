import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TEST_EMBEDDED_POOL } from '@daybook/postgres/testing/borrow-embedded'
import { POSTGRES } from '@daybook/postgres/testing/test-database'
import { needing } from '@daybook/runtime/testing/needing'
import { TEST_REQUIRE } from '@daybook/runtime/testing/needs'
import { expect } from 'vitest'
import { REPOSITORY } from '../support/daemon.ts'

// A run on a bare machine shows it by itself.
needing(POSTGRES).test(
  'without servers, programs and variables every file has a suite, or a reason why it is left out',
  async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, 'collect.ts')],
      {
        cwd: REPOSITORY,
        // One worker imports everything once. Nobody borrows a database, so it needs no pool.
        env: { PATH: '', [TEST_REQUIRE]: 'none', VITEST_MAX_WORKERS: '1', [TEST_EMBEDDED_POOL]: '' },
      },
    )
    expect(stdout).toMatch(/^[1-9]\d+ files\n$/u)
  },
)
