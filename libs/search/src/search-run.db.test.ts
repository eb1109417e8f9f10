import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { note } from '@daybook/memory/testing/commands'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTokenBitsCache } from './late-interaction/token-bits-cache.ts'
import { askQuestion } from './question.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchRequest } from './search-request.ts'
import { startRun } from './search-run.ts'

describe.each(TEST_DATABASES)('a run of a search on $name', ({ start }) => {
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

  function begin(query: string, request: Partial<SearchRequest> = {}, own: Partial<SearchParts> = {}) {
    const { readModel, embedder } = harness
    const parts: SearchParts = { scope, readModel, embedders: fixedEmbedders([embedder]), ...own }
    const asked: SearchRequest = { query, filter: {}, mode: 'HYBRID', limit: 10, ...request }
    const search = { question: askQuestion(parts, asked), times: [], request: asked }
    return startRun(parts, search, readModel.generation)
  }

  it('compares texts when there are tokens, and each text once', async () => {
    const [pier, boat] = hashes as [string, string]
    const tokenBitsCache = createTokenBitsCache()
    const kept = tokenBitsCache.of(scope.projectId, harness.embedder.modelId)
    const run = begin('lantern', {}, { tokenBitsCache })
    void run.compared([pier])
    expect(kept.get(pier)).toBeUndefined()

    const first = await run.compared([])
    expect([...first.matches.keys()]).toEqual([pier])
    expect(kept.get(pier)).toBeDefined()
    const ofPier = first.matches.get(pier)

    void run.compared([pier, boat])
    const { bits, matches } = await run.compared([boat, pier, 'f0'.repeat(32)])
    expect([...matches.keys()]).toEqual([pier, boat])
    expect(matches.get(pier)).toBe(ofPier)
    const { scorer, bytes } = (await run.tokens())!
    expect(ofPier).toEqual({
      best: scorer.match(bits.get(pier)!),
      tokens: bits.get(pier)!.length / bytes,
    })
    expect(ofPier!.best[0]).toBeGreaterThan(matches.get(boat)!.best[0]!)
  })

  it('compares other tokens, as those of another question, by itself', async () => {
    const ofLantern = await begin('lantern').compared(hashes)
    const ofBoat = await begin('boat').compared(hashes)
    expect([...ofBoat.matches.keys()].toSorted()).toEqual(hashes.toSorted())
    expect(ofBoat.matches).not.toEqual(ofLantern.matches)
    const { readModel } = harness
    const another = { ...readModel.generation, modelId: 'another-model' }
    const request: SearchRequest = { query: 'boat', filter: {}, mode: 'HYBRID', limit: 10 }
    const parts = { scope, readModel, embedders: fixedEmbedders([harness.embedder]) }
    const asked = { query: askQuestion(parts, request).query, queryVector: askOther(parts, request) }
    const ofAnotherModel = startRun(parts, { question: asked, times: [], request }, another)
    expect(await ofAnotherModel.tokens()).not.toBeNull()
    expect((await ofAnotherModel.compared(hashes)).matches.size).toBe(0)
  })

  /** What the harness's model says, whatever model is asked. */
  function askOther(parts: SearchParts, request: SearchRequest) {
    const { queryVector } = askQuestion(parts, request)
    return () => queryVector(harness.readModel.generation)
  }

  it('compares nothing where no tokens count', async () => {
    for (const request of [{ mode: 'KEYWORD' }, { ranking: { lateInteraction: false } }] as const) {
      const run = begin('lantern', request)
      expect(await run.tokens()).toBeNull()
      expect((await run.compared(hashes)).matches.size).toBe(0)
    }
    expect(begin('lantern', { mode: 'KEYWORD' }).queryVector()).toBeNull()
  })

  it('tells comparisons that fail to whoever waits for them, and to nobody else', async () => {
    void begin('lantern').compared(['no hash'])
    const failing = begin('lantern')
    void failing.compared(['no hash'])
    await expect(failing.compared([])).rejects.toThrow(/hexadecimal/u)
  })

  it('reads the memories that a filter leaves once, and frequencies with the names asked for', async () => {
    const run = begin('boat B-12', { filter: { labelsAny: ['l'] } })
    expect(run.few!()).toBe(run.few!())
    expect(begin('boat').few).toBeUndefined()
    const counted = await run.frequencies()
    expect(counted).toMatchObject({ documents: 2 })
    expect([...counted.documentFrequency.keys()].toSorted()).toEqual(['12', 'b', 'b12', 'boat'])
    const past = begin('boat B-12', { past: 'EVER' })
    expect([...(await past.frequencies()).documentFrequency.keys()].toSorted()).toEqual(['12', 'b', 'boat'])
  })
})
