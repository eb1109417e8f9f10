import { newId } from '@daybook/memory/id'
import type { Need } from '@daybook/runtime/testing/needs'
import { nativeTypesenseProgram, startNativeTypesense } from './native-typesense.ts'
import type { Faults } from './server/faults.ts'
import { startTypesenseDouble } from './start-typesense-double.ts'

/** A Typesense for tests. */
export interface TestTypesense {
  readonly url: string
  readonly apiKey: string
  /** Null on a real server, in which no faults can be injected. */
  readonly faults: Faults | null
  stop(): Promise<void>
}

/** A kind of server that suites run on. */
export interface TypesenseKind {
  readonly name: string
  start(): Promise<TestTypesense>
}

const { TYPESENSE_URL: url = '', TYPESENSE_API_KEY: apiKey = '' } = process.env

const REAL: readonly TypesenseKind[] =
  url !== '' && apiKey !== ''
    ? [{ name: 'a real server', start: async () => ({ url, apiKey, faults: null, stop: async () => {} }) }]
    : nativeTypesenseProgram() !== null
      ? [{ name: 'a real server', start: async () => ({ ...(await startNativeTypesense()), faults: null }) }]
      : []

/**
 * The servers that suites run on: the double, and a real one if `TYPESENSE_URL` and `TYPESENSE_API_KEY` are
 * set or `DAYBOOK_TYPESENSE_SERVER` names a program, which each suite then starts for itself. Suites give
 * their collections unique names and remove them.
 */
export const TYPESENSE_SERVERS: readonly TypesenseKind[] = [
  { name: 'the double', start: () => startTypesenseDouble({ apiKey: 'key-of-the-double' }) },
  ...REAL,
]

/** For suites that only a real server can serve. */
export const REAL_TYPESENSE: Need = {
  name: 'a real Typesense',
  problem: REAL.length > 0 ? null : 'Set DAYBOOK_TYPESENSE_SERVER or TYPESENSE_URL (docs/testing.md).',
  optional: true,
}

/** A name for a suite's collections that no other has. */
export const newTestName = (): string => `daybook_test_${newId().replaceAll('-', '')}`

/** Starts a server for one suite: the program that `DAYBOOK_TYPESENSE_SERVER` names, or else the double. */
export const startOwnTypesense = async (): Promise<TestTypesense> =>
  nativeTypesenseProgram() === null
    ? startTypesenseDouble({ apiKey: 'key-of-the-double' })
    : { ...(await startNativeTypesense()), faults: null }
