import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Need, TEST_REQUIRE, TEST_RUN } from './needs.ts'

/** vitest's `describe` and `test`, for what runs only where a need is met. */
export interface Needing {
  readonly describe: typeof describe | typeof describe.skip
  readonly test: typeof test | typeof test.skip
}

/**
 * The one way to leave tests out: they are skipped if something of it is missing, and the run prints the reason at its end, once for all
 * files.
 * @throws Error instead, with `DAYBOOK_TEST_REQUIRE=all`
 */
export function needing(...needs: readonly Need[]): Needing {
  const missing = needs.filter(({ problem }) => problem !== null)
  for (const { name, problem, optional = false } of missing) {
    if (process.env[TEST_REQUIRE] === 'all' && !optional)
      throw new Error(`Cannot test without ${name}: ${problem}`)
    noteSkipped(name, problem ?? '')
  }
  return missing.length === 0 ? { describe, test } : { describe: describe.skip, test: test.skip }
}

function noteSkipped(name: string, problem: string): void {
  const folder = process.env[TEST_RUN]
  const file = expect.getState().testPath
  if (folder !== undefined)
    appendFileSync(join(folder, 'skipped'), `${JSON.stringify({ name, problem, file })}\n`)
}
