import { newId } from '@daybook/memory/id'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectScope } from '../project-scope.ts'
import { asOwner } from '../testing/as-owner.ts'
import { TEST_DATABASES, type TestDatabase } from '../testing/test-database.ts'
import { accessOfKey, createApiKey } from './api-keys.ts'
import { listKeys, makeKey } from './manage-keys.ts'
import { beginQuarantine, listQuarantines, readTrust, releaseQuarantine, setKeyTrust } from './quarantines.ts'

describe.each(TEST_DATABASES)('quarantines and trust in $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  const keyOf = async (projectId: string, admin: boolean) => {
    const key = await asOwner(database, (owner) => createApiKey(owner, projectId, newId(), { admin }))
    const access = await accessOfKey(database.db, key)
    if (access === null) throw new Error('a new key opens nothing')
    return access
  }

  it('are written only by who shows the hash of an administrator', async () => {
    const { db } = database
    const { projectId } = await database.newProject()
    const [plain, admin] = [await keyOf(projectId, false), await keyOf(projectId, true)]
    const target = { projectId, keyId: plain.keyId, agent: null }
    await expect(beginQuarantine(db, plain, target, 'x')).rejects.toThrow(/does not administer/u)
    await expect(setKeyTrust(db, plain, plain.keyId, 'high')).rejects.toThrow(/does not administer/u)
    const id = await beginQuarantine(db, admin, target, 'x')
    await expect(releaseQuarantine(db, plain, id ?? '', null)).rejects.toThrow(/does not administer/u)
    for (const statement of [
      sql`insert into quarantines (id, key_ids, reason, began_by) values (${newId()}, array[${plain.keyId}::uuid], 'x', 'x')`,
      sql`update quarantines set released_at = now()`,
      sql`delete from quarantines`,
      sql`insert into key_trust values (${plain.keyId}, 'high')`,
    ])
      await expect(statement.execute(db)).rejects.toThrow(/permission denied/u)
    expect(await releaseQuarantine(db, admin, id ?? '', 'checked')).toBe(true)
    expect(await releaseQuarantine(db, admin, id ?? '', 'checked')).toBe(false)
  })

  it('of a project are seen in no other, those of all projects in each', async () => {
    const { db } = database
    const [one, other] = [await database.newProject(), await database.newProject()]
    const admin = await keyOf(one.projectId, true)
    const key = newId()
    const inOne = await beginQuarantine(db, admin, { projectId: one.projectId, keyId: key, agent: null }, 'x')
    const inAll = await beginQuarantine(db, admin, { projectId: null, keyId: key, agent: null }, 'x')
    const seen = async (projectId: string) =>
      (await listQuarantines(projectScope(db, projectId).db, null)).map(({ id }) => id)
    expect((await seen(one.projectId)).toSorted()).toEqual([inOne, inAll].toSorted())
    expect(await seen(other.projectId)).toEqual([inAll])
    await releaseQuarantine(db, admin, inAll ?? '', null)
  })

  it('a key has the trust that it was made with, and nobody may put its own key into quarantine', async () => {
    const { db } = database
    const { projectId } = await database.newProject()
    const admin = await keyOf(projectId, true)
    const made = await makeKey(db, admin, {
      name: 'web',
      projects: [projectId],
      scopes: ['write'],
      expiresAt: null,
      trust: 'low',
    })
    expect(await readTrust(db, [made.id, admin.keyId, 'no key'])).toEqual(new Map([[made.id, 'low']]))
    expect((await listKeys(db, [projectId])).map(({ trust }) => trust).toSorted()).toEqual(['low', 'normal'])
    expect(await beginQuarantine(db, admin, { projectId, keyId: admin.keyId, agent: null }, 'x')).toBeNull()
  })
})
