import { needing } from '@daybook/runtime/testing/needing'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { REAL_TYPESENSE, type TestTypesense, TYPESENSE_SERVERS } from '../typesense-servers.ts'
import { answersOf } from './answers-of.ts'
import { scenario } from './scenarios.ts'

/*
 * Compares the double with a real server. For random schemas, documents, filters and searches of our client's
 * kinds, and near misses, status and answer must be the same. `DAYBOOK_FUZZ_RUNS` and `DAYBOOK_FUZZ_SEED`
 * choose other runs.
 */

const RUNS = Number(process.env.DAYBOOK_FUZZ_RUNS ?? 2_000)
/** Fixed, so that runs are reproducible. */
const SEED = Number(process.env.DAYBOOK_FUZZ_SEED ?? 29)

const [double, real] = TYPESENSE_SERVERS

needing(REAL_TYPESENSE).describe('the double beside a real server', () => {
  const servers: TestTypesense[] = []
  beforeAll(async () => {
    for (const kind of [double, real]) if (kind !== undefined) servers.push(await kind.start())
  })
  afterAll(async () => {
    for (const server of servers) await server.stop()
  })

  it(`answers ${RUNS} random schemas with their documents and searches alike (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (asked) => {
        const [ofDouble, ofReal] = await Promise.all(servers.map((server) => answersOf(server, asked)))
        expect(ofDouble).toEqual(ofReal)
      }),
      { numRuns: RUNS, seed: SEED },
    )
  }, 900_000)
})
