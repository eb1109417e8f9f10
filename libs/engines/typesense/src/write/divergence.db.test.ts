import { readEnd } from '@daybook/journal/read/read'
import { loseTail } from '@daybook/journal/testing/lose-tail'
import { placeAt } from '@daybook/journal/testing/place-at'
import { newId } from '@daybook/memory/id'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { heal } from '@daybook/projection/positions/divergence'
import { verifyProject } from '@daybook/projection/verify/verify-project'
import { silentLogger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PLACES, startTypesenseHarness, type TypesenseHarness } from '../testing/typesense-harness.ts'
import { typesenseVerifiable } from '../verify/verifiable.ts'

describe.each(PLACES)('the documents of a journal that lost its end, $name', ({ database, server }) => {
  let harness: TypesenseHarness
  beforeAll(async () => {
    harness = await startTypesenseHarness(database, server)
  })
  afterAll(() => harness?.stop())

  /** Three memories at the first checkpoint, then three events that change, add and forget. */
  async function written() {
    const scope = await harness.newProject()
    const [kept, revised, forgotten] = [newId(), newId(), newId()]
    await harness.append(
      scope,
      rememberCommand(note('the lighthouse keeps'), kept),
      rememberCommand(note('the lighthouse is revised'), revised),
      rememberCommand(note('the lighthouse is forgotten'), forgotten),
    )
    await harness.apply(scope)
    await harness.append(
      scope,
      { type: 'revise', id: revised, input: note('the harbour was lost') },
      rememberCommand(note('a memory that nobody has')),
      { type: 'forget', id: forgotten },
    )
    await harness.apply(scope)
    await harness.embed()
    await harness.fill()
    expect(await harness.check(scope)).toEqual([])
    return { scope, revised }
  }
  const again = (scope: ProjectScope, revised: string) =>
    harness.append(scope, rememberCommand(note('in the place of what was lost')), {
      type: 'revise',
      id: revised,
      input: note('the harbour was found'),
    })
  const isEqual = async (scope: ProjectScope) => {
    await harness.apply(scope)
    await harness.embed()
    await harness.fill()
    expect(await harness.projection.position(scope)).toEqual(await readEnd(scope))
    expect(await harness.check(scope)).toEqual([])
    const verified = await verifyProject(scope, typesenseVerifiable(harness.generationWriter), {
      signal: new AbortController().signal,
    })
    expect(verified).toMatchObject({ differences: [] })
    expect(verified.projectionDigest).toBe(verified.journalDigest)
  }

  it('become what the journal now says, where the position lies beyond its end', async () => {
    const { scope, revised } = await written()
    await loseTail(harness, scope, 4)
    await again(scope, revised)
    await heal(scope, harness.projection, await harness.projection.position(scope), silentLogger)
    expect(await harness.projection.position(scope)).toEqual(await placeAt(scope, 3))
    expect(await harness.check(scope)).toEqual([])
    await isEqual(scope)
  })

  /** The database of a promoted replica: journal and position both stand where the replica was. */
  async function failOver(scope: ProjectScope, keep: number): Promise<void> {
    await loseTail(harness, scope, keep)
    const { hash } = await placeAt(scope, keep)
    await sql`
      update positions set position = ${keep}, hash = decode(${hash}, 'hex'), server_run = 'of the server before'
      where project_id = ${scope.projectId}`.execute(harness.db)
    await sql`delete from typesense_pending_vectors where project_id = ${scope.projectId}`.execute(harness.db)
  }

  it('go before anything is written, if beyond a position that went back with its journal', async () => {
    const { scope, revised } = await written()
    await failOver(scope, 3)
    await again(scope, revised)
    expect(await harness.check(scope)).not.toEqual([])
    await isEqual(scope)
  })

  it('go where nothing is remembered afterwards, too, and are looked at once', async () => {
    const { scope } = await written()
    const { outside } = harness.projection
    await failOver(scope, 3)
    expect(await harness.check(scope)).not.toEqual([])
    expect(await outside?.unsettled()).toContain(scope.projectId)
    await outside?.settle(scope)
    expect(await outside?.unsettled()).not.toContain(scope.projectId)
    expect(await harness.check(scope)).toEqual([])
    await isEqual(scope)
  })
})
