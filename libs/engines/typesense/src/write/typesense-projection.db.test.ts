import { readJournal } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { eraseEvents } from '@daybook/journal/testing/erase'
import { newId } from '@daybook/memory/id'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import { commandOf, generatedSteps } from '@daybook/memory/testing/generated-steps'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { PositionMoved } from '@daybook/projection/projection'
import * as fc from 'fast-check'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { typesenseStatus } from '../read/report.ts'
import { PLACES, startTypesenseHarness, type TypesenseHarness } from '../testing/typesense-harness.ts'
import { exportDocuments, ofProject } from '../verify/compare-memories.ts'
import { collectionName, deleteCollection, LAYOUT_VERSION } from './collection.ts'
import { documentId } from './document.ts'
import { adoptCollection } from './generation.ts'
import { keepCollection } from './keep-collection.ts'

/** More than the harness's embedder takes at once: four chunks. */
const LONG = Array.from({ length: 90 }, (_, index) => `word${index}`).join(' ')

describe.each(PLACES)('the Typesense projection on $name', ({ database, server }) => {
  let harness: TypesenseHarness
  beforeAll(async () => {
    harness = await startTypesenseHarness(database, server)
  })
  afterAll(() => harness?.stop())

  const documentsOf = (scope: ProjectScope) =>
    exportDocuments(harness.client, harness.generationWriter.collection, ofProject(scope.projectId))
  const status = (scope: ProjectScope) => typesenseStatus(scope, harness.generation)

  // The only session of the embedded database is busy until a look is over, so nothing can happen in between.
  if (database.severalSessions)
    it('never says that all is done while a batch still waits', async () => {
      const scope = await harness.newProject()
      await harness.append(scope, rememberCommand(note('written between two looks')))
      let looks = 0
      const between: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          looks += 1
          if (looks === 1) await harness.apply(scope)
          return result
        },
      }
      const { lag, pendingEmbeddings } = await typesenseStatus(
        { ...scope, db: scope.db.withPlugin(between) },
        harness.generation,
      )
      expect(looks).toBeGreaterThan(1)
      expect(lag + pendingEmbeddings).toBeGreaterThan(0)
    })

  it('equals the fold of the journal, whatever was done, in batches of any size, vectors early or late', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(generatedSteps(80), fc.boolean()), { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 7 }),
        async (steps, size) => {
          const scope = await harness.newProject()
          const ids = Array.from({ length: 6 }, () => newId())
          for (const [one, pausesHere] of steps) {
            await harness.append(scope, commandOf(ids, one)).catch(() => {})
            if (!pausesHere) continue
            await harness.apply(scope, size)
            expect(await harness.check(scope)).toEqual([])
            await harness.embed()
          }
          await harness.apply(scope, size)
          expect(await harness.check(scope)).toEqual([])
          await harness.embed()
          await harness.fill()
          expect(await harness.check(scope)).toEqual([])
          expect(await status(scope)).toMatchObject({ lag: 0, pendingEmbeddings: 0, parked: 0 })
        },
      ),
      { numRuns: 12 },
    )
  })

  it('has one document for each chunk, fewer when the text gets shorter, one when it is forgotten', async () => {
    const scope = await harness.newProject()
    const memory = rememberCommand(note(LONG))
    const chunks = async () => (await documentsOf(scope)).map((document) => document.chunk).toSorted()
    const settle = async () => {
      await harness.apply(scope)
      await harness.embed()
      await harness.fill()
      expect(await harness.check(scope)).toEqual([])
    }
    await harness.append(scope, memory)
    await settle()
    expect(await chunks()).toEqual([0, 1, 2, 3])
    await harness.append(scope, { type: 'revise', id: memory.id, input: { labels: ['kept'] } })
    await settle()
    expect(await chunks()).toEqual([0, 1, 2, 3])
    expect((await documentsOf(scope)).every(({ labels }) => String(labels) === 'kept')).toBe(true)
    await harness.append(scope, { type: 'revise', id: memory.id, input: note('short now') })
    await settle()
    expect(await chunks()).toEqual([0])
    await harness.append(scope, { type: 'restore', id: memory.id, version: 1 })
    await settle()
    expect(await chunks()).toEqual([0, 1, 2, 3])
    await harness.append(scope, { type: 'forget', id: memory.id })
    await settle()
    const [forgotten, ...others] = await documentsOf(scope)
    expect(others).toEqual([])
    expect(forgotten).toMatchObject({ forgotten: true })
    expect(forgotten).not.toHaveProperty('embedding')
  })

  it('has no document of a memory that was erased, nor waits for its vector', async () => {
    const scope = await harness.newProject()
    const [secret, late] = [rememberCommand(note(LONG)), rememberCommand(note('never embedded'))]
    await harness.append(scope, secret, rememberCommand(note('neighbour')))
    await harness.apply(scope)
    await harness.embed()
    await harness.fill()
    await harness.append(scope, late)
    await harness.apply(scope)
    await harness.append(scope, { type: 'forget', id: secret.id }, { type: 'forget', id: late.id })
    await eraseEvents(harness, scope.projectId, [1, 3, 4, 5])
    await harness.apply(scope)
    expect(await harness.check(scope)).toEqual([])
    expect((await documentsOf(scope)).map(({ text }) => String(text).split('\n')[0])).toEqual(['neighbour'])
    expect(await status(scope)).toMatchObject({ lag: 0, pendingEmbeddings: 0, parked: 0 })
  })

  it('takes a vector that is there already at once', async () => {
    const scope = await harness.newProject()
    await harness.append(scope, rememberCommand(note('said before')))
    await harness.apply(scope)
    await harness.embed()
    await harness.append(scope, rememberCommand(note('said before')))
    await harness.apply(scope)
    expect((await status(scope)).pendingEmbeddings).toBe(1)
    await harness.fill()
    expect((await status(scope)).pendingEmbeddings).toBe(0)
    expect(await harness.check(scope)).toEqual([])
  })

  it('embeds a text that one project has again for another', async () => {
    const [one, other] = [await harness.newProject(), await harness.newProject()]
    const pending = async (scope: ProjectScope) => (await status(scope)).pendingEmbeddings
    await harness.append(one, rememberCommand(note('both have this')))
    await harness.apply(one)
    await harness.embed()
    await harness.append(other, rememberCommand(note('both have this')))
    await harness.apply(other)
    await harness.fill()
    expect([await pending(one), await pending(other)]).toEqual([0, 1])
    expect((await documentsOf(other)).filter((document) => 'embedding' in document)).toEqual([])
    await harness.embed()
    await harness.fill()
    expect(await pending(other)).toBe(0)
    for (const scope of [one, other]) expect(await harness.check(scope)).toEqual([])
  })

  it('gives a late vector to nothing that was revised or forgotten meanwhile', async () => {
    const scope = await harness.newProject()
    const [revised, forgotten] = [
      rememberCommand(note('the old text')),
      rememberCommand(note('to be forgotten')),
    ]
    await harness.append(scope, revised, forgotten)
    await harness.apply(scope)
    await harness.embed()
    await harness.append(
      scope,
      { type: 'revise', id: revised.id, input: note('the new text') },
      { type: 'forget', id: forgotten.id },
    )
    await harness.apply(scope)
    await harness.fill()
    expect(await harness.check(scope)).toEqual([])
    expect((await documentsOf(scope)).filter((document) => 'embedding' in document)).toEqual([])
    await harness.embed()
    await harness.fill()
    expect(await harness.check(scope)).toEqual([])
    expect((await status(scope)).pendingEmbeddings).toBe(0)
  })

  it('writes a document again that Typesense lost, when its vector comes', async () => {
    const scope = await harness.newProject()
    const memory = rememberCommand(note('lost alone'))
    await harness.append(scope, memory)
    await harness.apply(scope)
    await harness.client.request((typesense) =>
      typesense
        .collections(harness.generationWriter.collection)
        .documents(documentId(scope.projectId, memory.id))
        .delete(),
    )
    expect(await harness.check(scope)).not.toEqual([])
    await harness.embed()
    await harness.fill()
    expect(await harness.check(scope)).toEqual([])
  })

  it('keeps projects apart', async () => {
    const [one, other] = [await harness.newProject(), await harness.newProject()]
    const id = newId()
    await harness.append(one, rememberCommand(note('of the one'), id))
    await harness.append(other, rememberCommand(note('of the other'), id))
    for (const scope of [one, other]) {
      await harness.apply(scope)
      expect(await harness.check(scope)).toEqual([])
      expect(await documentsOf(scope)).toHaveLength(1)
    }
  })

  it('makes a collection of an earlier layout again from the journal before it writes more', async () => {
    const scope = await harness.newProject()
    const { client, generation, base, db } = harness
    await harness.append(scope, rememberCommand(note('“quoted”—and written before')))
    await harness.apply(scope)
    await deleteCollection(client, generation.generation, base)
    const name = collectionName(generation.generation, base)
    // The former layout: texts, with a field that later documents lack.
    const fields = [
      { name: 'project_id', type: 'string' as const },
      { name: 'length', type: 'int32' as const },
    ]
    await client.request((typesense) =>
      typesense.collections().create({ name, fields, metadata: { incarnation: 'an earlier one' } }),
    )
    await adoptCollection(db, generation.generation, 'an earlier one')
    await harness.append(scope, rememberCommand(note('the first that a later version writes')))
    const { projection } = harness.replica()
    const from = await projection.position(scope)
    const events = (await readJournal(scope, { after: from.sequence, limit: 10 })).map(readable)
    const batch = { from, to: events.at(-1) ?? from, events, parked: [], erased: [] }
    await projection
      .apply(scope, batch)
      .catch((error: unknown) => expect(error).toBeInstanceOf(PositionMoved))
    await harness.apply(scope)
    await harness.embed()
    await harness.fill()
    expect(await harness.check(scope)).toEqual([])
    expect(await documentsOf(scope)).toHaveLength(2)
  })

  it('leaves a collection of a later layout alone', async () => {
    const { client, generation, base, db } = harness
    const later = { ...generation, generation: 99 }
    const { generationWriter } = harness.replica({ generation: later })
    const fields = [{ name: 'project_id', type: 'string' as const }]
    await client.request((typesense) =>
      typesense.collections().create({
        name: generationWriter.collection,
        fields,
        metadata: { incarnation: 'later', layout: LAYOUT_VERSION + 1 },
      }),
    )
    await expect(keepCollection(db, generationWriter)).rejects.toThrow(/layout/)
    await deleteCollection(client, later.generation, base)
  })
})
