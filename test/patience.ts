import { relative } from 'node:path'
import { expect, vi } from 'vitest'

/*
 * A setup of all lanes. What a test waits for may need processes that share the machine with others, so a wait has no limit of its own: it
 * ends when what it waits for is there, or a little before the test's own limit, so that the report says what was missing.
 */

/** Of a wait, in milliseconds, as long as a poll's (`vitest.config.ts`). */
const PATIENCE = 500_000

const { waitFor, waitUntil } = vi

const patient = <Options extends object>(options: number | Options = {} as Options) =>
  typeof options === 'number' ? options : { timeout: PATIENCE, ...options }

vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))

// For the count of what each file starts (libs/platform/runtime/src/testing/preload.cjs).
process.env['DAYBOOK_TEST_FILE'] = relative(process.cwd(), expect.getState().testPath ?? '')
