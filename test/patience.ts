import { vi } from 'vitest'

/*
 * A setup of the lanes with servers. What a test waits for there needs processes that share the machine with other tests, so vitest's
 * second is too little. A wait ends as soon as what it waits for is there; only one that fails takes longer.
 */

/** Milliseconds that waits without a `timeout` of their own take at most. Config: `expect.poll` has the same. */
const PATIENCE = 30_000

const { waitFor, waitUntil } = vi

const patient = <Options extends object>(options: number | Options = {} as Options) =>
  typeof options === 'number' ? options : { timeout: PATIENCE, ...options }

vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))
