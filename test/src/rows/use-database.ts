import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTravellingVectors, storeTravellingVectors } from '@daybook/embeddings/travelling-vectors'
import { commitAtKnownHead } from '@daybook/journal/append/commit-batch'
import { placeAt } from '@daybook/journal/testing/place-at'
import { NOBODY } from '@daybook/journal/testing/requests'
import { newId } from '@daybook/memory/id'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import type { Work } from '@daybook/operations/run-operations'
import { generationTables, PGVECTOR } from '@daybook/pgvector/generation-tables'
import { pgvectorVerifiable } from '@daybook/pgvector/verify/verifiable'
import { rewindReadModel } from '@daybook/pgvector/write/erase-memories'
import { findKey, readOpenKeys } from '@daybook/postgres/access/api-keys'
import { placeProject } from '@daybook/postgres/access/claim-imported-project'
import {
  createLoginToken,
  endSession,
  findSession,
  openSession,
  readOpenSessions,
} from '@daybook/postgres/access/console-sessions'
import { forgetRemovedCopy } from '@daybook/postgres/access/delete-project'
import { findProject } from '@daybook/postgres/access/projects'
import { type Database, openDatabase } from '@daybook/postgres/connect'
import { clearFreeSpace } from '@daybook/postgres/embedded/maintain-tables'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { startBundledDatabase } from '@daybook/postgres/testing/start-bundled'
import type { TestDatabase } from '@daybook/postgres/testing/test-database'
import { type Generation, liveGeneration } from '@daybook/projection/generations/generations'
import { readPlace } from '@daybook/projection/positions/positions'
import { waitUntilCaughtUp } from '@daybook/reindex/reindex/caught-up'
import { silentLogger } from '@daybook/runtime/logger'
import { appendToBranch } from '@daybook/sync/branch/append-to-branch'
import { readBranchSize } from '@daybook/sync/branch/branch-commands'
import { rebaseIfLeft } from '@daybook/sync/branch/rebase-branch'
import { insertFollowed } from '@daybook/sync/follower/followed-projects'
import { retreat } from '@daybook/sync/follower/retreat'
import { renewFollowed, takeFollowed } from '@daybook/sync/follower/start-sync'
import { listStatus } from '@daybook/sync/follower/status'
import { readBacklog } from '@daybook/transport/relay/relay'
import { findUnpublished, goBack, savePublished, takeLease } from '@daybook/transport/relay/relay-positions'
import { sql } from 'kysely'
import { expect } from 'vitest'

/**
 * Runs, in the database of a stopped daemon, the queries that a daemon runs only after damage, or with NATS.
 * @returns the names of the database's types, by oid
 */
export async function useDatabase(dataDir: string): Promise<ReadonlyMap<number, string>> {
  const embedded = await startBundledDatabase(dataDir, silentLogger)
  const db = openDatabase(embedded.address)
  try {
    const project = await findProject(db, 'default')
    const generation = await liveGeneration(db, PGVECTOR)
    if (project === null || generation === null) throw new Error('this is no data folder of a daemon')
    const scope = projectScope(db, project.id)

    await appendAtKnownHead(scope)
    await relay(scope)
    await damage({ address: embedded.address, db }, scope, generation)
    await rewind(scope, generation)
    await followAHome(db)
    await logIn(db, readFileSync(join(dataDir, 'api-key'), 'utf8').trim())
    // Nobody catches up.
    const work = { report: async () => {}, signal: AbortSignal.abort() } as unknown as Work
    await expect(waitUntilCaughtUp(db, generation, work)).rejects.toThrow('aborted')
    await sql`update free_space set erased_at = now()`.execute(db)
    await clearFreeSpace(db)
    // The existing project has taken its name.
    await expect(placeProject(db, { id: newId(), name: 'default' })).rejects.toThrow('belongs to another')
    const { rows } = await sql<{ oid: number; typname: string }>`select oid, typname from pg_type`.execute(db)
    return new Map(rows.map(({ oid, typname }) => [oid, typname]))
  } finally {
    await db.destroy()
    await embedded.stop()
  }
}

/** A project that follows a home, without the home: what only goes wrong, or waits, too. */
async function followAHome(db: Database): Promise<void> {
  const projectId = newId()
  const { scope } = await placeProject(db, { id: projectId, name: 'followed' })
  const copied = { sequence: 0, hash: '0'.repeat(64) }
  const home = { url: 'http://127.0.0.1:9', key: 'key' }
  await scope.db.transaction().execute((trx) => insertFollowed(trx, projectId, home, { copied, rule: 'ASK' }))
  await appendToBranch(scope, [
    { command: rememberCommand(note('written offline')), metadata: NOBODY, idempotencyKey: newId() },
  ])
  await readBranchSize(db, projectId)
  expect(await listStatus(db, null)).toHaveLength(1)
  await rebaseIfLeft(scope)
  await retreat(scope, 0)
  const hash = '1'.repeat(64)
  const chunks = [{ start: 0, end: 4, tokens: 0, vector: '[1,0]' }]
  expect(await storeTravellingVectors(scope, 'test', [{ hash, tokenBits: null, chunks }])).toBe(1)
  expect(await readTravellingVectors(scope, 'test', [hash])).toEqual([{ hash, tokenBits: null, chunks }])
  expect(await forgetRemovedCopy(db, projectId)).toBe(false)
  const owner = { name: newId(), leaseMs: 240_000 }
  expect(await takeFollowed(db, owner, projectId)).toBe(true)
  expect(await renewFollowed(db, owner, [projectId])).toEqual(new Set([projectId]))
}

/** A session of the console, from its link to its end. */
async function logIn(db: Database, key: string): Promise<void> {
  const found = await findKey(db, key)
  if ('refusal' in found) throw new Error(found.refusal)
  const { keyId } = found.access
  expect([...(await readOpenKeys(db, [keyId])).keys()]).toEqual([keyId])
  const made = await createLoginToken(db, found.access, 60_000)
  const token = await openSession(db, made?.token ?? '', 60_000)
  const session = await findSession(db, token ?? '', 60_000)
  if ('refusal' in session) throw new Error(session.refusal)
  const { sessionId } = session.access
  expect(await readOpenSessions(db, [sessionId], 60_000)).toEqual(new Set([sessionId]))
  await endSession(db, token ?? '')
}

/** Appends as a process does that has just appended, which the embedded database never does. */
async function appendAtKnownHead(scope: ProjectScope): Promise<void> {
  const { rows } = await sql<{ sequence: number; hash: string }>`
    select sequence, encode(hash, 'hex') as hash from journal_heads where project_id = ${scope.projectId}`.execute(
    scope.db,
  )
  const now = {
    epoch: 1,
    recordedAt: new Date().toISOString(),
    clockMs: Date.now(),
    askedAt: performance.now(),
  }
  const requests = [{ command: rememberCommand(note('appended at the known end')), metadata: NOBODY }]
  const [head] = rows
  if (head === undefined) throw new Error('the journal is empty')
  expect(await commitAtKnownHead(scope, requests, { ...head, ...now })).not.toBeNull()
}

async function relay(scope: ProjectScope): Promise<void> {
  const owner = { name: 'relay', leaseMs: 240_000 }
  await findUnpublished(scope.db, 0)
  await takeLease(scope, owner, 0)
  await savePublished(scope, owner, await placeAt(scope, 1), true)
  await readBacklog(scope.db)
  await goBack(scope, owner, await placeAt(scope, 1))
}

/** Removes a memory from the read model, and runs the code that notices this and rewrites it. */
async function damage(
  database: Pick<TestDatabase, 'address' | 'db'>,
  scope: ProjectScope,
  generation: Generation,
): Promise<void> {
  const { memories } = generationTables(generation.generation)
  const { rows } = await asOwner(database, (trx) =>
    sql<{ memory_id: string }>`
      delete from ${memories} where project_id = ${scope.projectId} and number = 1 returning memory_id`.execute(
      trx,
    ),
  )
  const verifiable = pgvectorVerifiable(scope.db, generation)
  const { problems } = await verifiable.compareIndexes(scope, new AbortController().signal)
  expect(problems).not.toEqual([])
  await verifiable.rewrite(
    scope,
    rows.map((row) => row.memory_id),
  )
}

async function rewind(scope: ProjectScope, generation: Generation): Promise<void> {
  const place = { name: PGVECTOR, generation: generation.generation }
  const from = await readPlace(scope.db, place, scope.projectId)
  await rewindReadModel(scope, generation, { from, to: await placeAt(scope, from.sequence - 1) })
}
