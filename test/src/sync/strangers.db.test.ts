import { readChain } from '@daybook/journal/chain/read-chain'
import { loseTail } from '@daybook/journal/testing/lose-tail'
import { newId } from '@daybook/memory/id'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { readFollowed } from '@daybook/sync/follower/followed-projects'
import { afterEach, describe, expect, it } from 'vitest'
import { type FalseAnswers, type FalseHome, hello, json, startFalseHome } from './false-home.ts'
import {
  followNewProject,
  repoint,
  type SyncNode,
  standing,
  untilConnected,
  useSyncPair,
} from './sync-node.ts'

const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) { ... on Remembered { sequence memory { id } } } }`
const FOLLOW = `mutation ($url: String!, $key: String!, $project: String!) {
  followProject(url: $url, key: $key, project: $project) {
    __typename ... on Following { again followed { project { id name } } } ... on DaybookError { code message } } }`
const RESUME = `mutation ($id: ID!, $goBack: Boolean) {
  changeFollowedProject(id: $id, paused: false, goBack: $goBack) { __typename ... on DaybookError { message } } }`

const note = (text: string) => ({ input: { content: { note: { text } } } })

describe.each(SERVICE_DATABASES)('a project that is here already, on $name', ({ start }) => {
  const pair = useSyncPair(start)
  const homes: FalseHome[] = []
  afterEach(async () => {
    for (const home of homes.splice(0)) await home.stop()
  })
  const falseHome = async (answers: FalseAnswers) => {
    const home = await startFalseHome(answers)
    homes.push(home)
    return home
  }
  const hashes = async (node: SyncNode, projectId: string) =>
    (await readChain(node.scopeOf(projectId), { after: 0, upTo: 1_000_000, limit: 1_000 })).map(
      ({ hash }) => hash,
    )
  const own = async (node: SyncNode, events: number) => {
    const client = await node.running.newClient(true)
    for (let at = 0; at < events; at += 1) await client.data(REMEMBER, note(`own ${at}`))
    const name = (await client.data('{ projects { id name } }'))['projects'].find(
      ({ id }: { id: string }) => id === client.projectId,
    ).name as string
    return { client, name, id: client.projectId }
  }
  const followedAs = async (project: string, url: string, key = 'dbk_any') =>
    (await (await pair.follower.running.newClient(true)).data(FOLLOW, { url, key, project }))['followProject']

  it.each(['its id', 'its name'] as const)('is not bound to a home that says that it has %s', async (by) => {
    const { id, name } = await own(pair.follower, 3)
    const before = await hashes(pair.follower, id)
    const stranger = await falseHome({ hello: json(hello({ id, name })), common: json({ common: 1 }) })
    const refused = await followedAs(by === 'its id' ? id : name, stranger.url)
    expect(refused).toMatchObject({ code: 'REFUSED', message: expect.stringContaining('own') })
    expect(await readFollowed(pair.follower.scopeOf(id))).toBeNull()
    expect(await hashes(pair.follower, id)).toEqual(before)
    expect(stranger.asked).toEqual(['/sync/hello'])
  })

  it('is not bound either if it is empty, or another one was asked for', async () => {
    const { id, name } = await own(pair.follower, 0)
    const stranger = await falseHome({ hello: json(hello({ id, name })) })
    expect(await followedAs(`other-${newId()}`, stranger.url)).toMatchObject({ code: 'REFUSED' })
    expect(await followedAs(id, stranger.url)).toMatchObject({ code: 'REFUSED' })
    const namesake = newId()
    const another = await falseHome({ hello: json(hello({ id: namesake, name })) })
    expect(await followedAs(namesake, another.url)).toMatchObject({
      code: 'REFUSED',
      message: expect.stringContaining('belongs to another project'),
    })
    const { projects } = await (await pair.follower.clientOf(id)).data('{ projects { id } }')
    expect(projects.map((one: { id: string }) => one.id)).not.toContain(namesake)
  })

  it('stays bound to its home and key, whoever else says that it has it, until a person re-points it', async () => {
    const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    const { home } = (await readFollowed(pair.follower.scopeOf(projectId))) ?? (undefined as never)
    const name = `copy-${newId()}`
    const stranger = await falseHome({ hello: json(hello({ id: projectId, name })) })
    for (const [url, key] of [
      [stranger.url, home.key],
      [home.url, `${home.key}x`],
    ] as const) {
      const refused = await followedAs(projectId, url, key)
      expect(refused).toMatchObject({ code: 'REFUSED' })
      expect(await readFollowed(pair.follower.scopeOf(projectId))).toMatchObject({ home })
    }
    expect((await followedAs(projectId, stranger.url, home.key)).message).toContain('daybook sync repoint')
    await atHome.data(REMEMBER, note('goes on'))
    await untilConnected(atFollower)
    const other = await falseHome({ hello: json(hello({ id: newId(), name })) })
    await expect(repoint(pair.follower, other, atHome)).rejects.toThrow('has another project')
  })

  it('goes back below what its home confirmed only if a person says so', async () => {
    const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    for (const text of ['one', 'two', 'three']) await atHome.data(REMEMBER, note(text))
    await expect.poll(async () => (await standing(atFollower)).copied).toBe(3)
    const before = await hashes(pair.follower, projectId)
    await loseTail(pair.home.database, pair.home.scopeOf(projectId), 1)
    await expect
      .poll(() => standing(atFollower))
      .toMatchObject({
        state: 'PAUSED',
        problem: expect.stringContaining('2 to 3'),
        copied: 3,
      })
    expect(await hashes(pair.follower, projectId)).toEqual(before)
    // To resume is no consent.
    await atFollower.data(RESUME, { id: projectId })
    await expect.poll(() => standing(atFollower)).toMatchObject({ state: 'PAUSED', copied: 3 })
    await atFollower.data(RESUME, { id: projectId, goBack: true })
    await untilConnected(atFollower)
    expect(await hashes(pair.home, projectId)).toHaveLength(3)
    expect(await hashes(pair.follower, projectId)).toEqual(await hashes(pair.home, projectId))
    // It was for this time only.
    expect(await readFollowed(pair.follower.scopeOf(projectId))).toMatchObject({ mayGoBack: false })
  })
})
