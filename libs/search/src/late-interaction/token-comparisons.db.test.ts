import { note } from '@daybook/memory/testing/commands'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTokenBitsCache } from './token-bits-cache.ts'
import { earlyComparisons } from './token-comparisons.ts'

describe.each(TEST_DATABASES)('comparisons of tokens on $name', ({ start }) => {
  let harness: ReadModelHarness
  let scope: ProjectScope
  let hashes: string[]
  beforeAll(async () => {
    harness = await startReadModelHarness({ start }, { tokenBits: true })
    scope = await harness.newProject()
    await harness.remember(scope, note('the lantern on the pier'), note('a green boat'))
    await harness.embed()
    const { rows } = await sql<{ hash: string }>`
      select encode(content_hash, 'hex') as hash from embeddings where project_id = ${scope.projectId}
      order by octet_length(token_bits) desc`.execute(scope.db)
    hashes = rows.map(({ hash }) => hash)
  })
  afterAll(() => harness?.stop())

  const tokensOf = async (question: string) => {
    const { tokens } = await harness.embedder.embedQuery(question)
    if (tokens === null) throw new Error('the embedder gives no tokens')
    return tokens
  }

  it('begin when there is a question, and compare each text once', async () => {
    const [pier, boat] = hashes as [string, string]
    const { modelId } = harness.embedder
    const cache = createTokenBitsCache()
    const kept = cache.of(scope.projectId, modelId)
    const early = earlyComparisons({ scope }, cache)
    early.begin([pier])
    expect(kept.get(pier)).toBeUndefined()

    const tokens = await tokensOf('lantern')
    const comparisons = early.with(tokens, modelId)
    const first = await comparisons.all()
    expect([...first.matches.keys()]).toEqual([pier])
    expect(kept.get(pier)).toBeDefined()

    early.begin([pier, boat])
    comparisons.begin([boat, pier, 'f0'.repeat(32)])
    const { bits, matches } = await early.with(tokens, modelId).all()
    expect([...matches.keys()]).toEqual([pier, boat])
    expect(matches.get(pier)).toBe(first.matches.get(pier))
    expect(matches.get(pier)).toEqual({
      best: comparisons.scorer.match(bits.get(pier)!),
      tokens: bits.get(pier)!.length / comparisons.bytes,
    })
    expect(matches.get(pier)!.best[0]).toBeGreaterThan(matches.get(boat)!.best[0]!)
  })

  it('begin again for other tokens, as those of another generation', async () => {
    const { modelId } = harness.embedder
    const early = earlyComparisons({ scope })
    early.begin(hashes)
    const [lantern, boat] = [await tokensOf('lantern'), await tokensOf('boat')]
    const ofLantern = await early.with(lantern, modelId).all()
    const ofBoat = await early.with(boat, modelId).all()
    expect([...ofBoat.matches.keys()].toSorted()).toEqual(hashes.toSorted())
    expect(ofBoat.matches).not.toEqual(ofLantern.matches)
    const ofAnotherModel = early.with(await tokensOf('boat'), 'another-model')
    expect((await ofAnotherModel.all()).matches.size).toBe(0)
    expect(await early.with(lantern, modelId).all()).toEqual(ofLantern)
  })

  it('that fail are told to whoever waits for them, and to nobody else', async () => {
    const tokens = await tokensOf('lantern')
    const failing = () => {
      const early = earlyComparisons({ scope })
      early.begin(['no hash'])
      return early.with(tokens, harness.embedder.modelId)
    }
    failing()
    await expect(failing().all()).rejects.toThrow(/hexadecimal/u)
  })
})
