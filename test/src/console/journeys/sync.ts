import { newId } from '@daybook/memory/id'
import { type SwitchingProxy, startSwitchingProxy } from '@daybook/postgres/testing/switching-proxy'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { askGraphQL, dataOf } from '../../support/graphql.ts'
import { seriousFindings } from '../support/axe.ts'
import type { ConsoleSuite, Tenant } from '../support/console-suite.ts'

const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) {
  ... on Remembered { sequence memory { id } } ... on DaybookError { message } } }`
const REVISE = `mutation ($id: ID!, $text: String!) { revise(id: $id, input: { content: { note: { text: $text } } }) {
  ... on Revised { sequence } ... on DaybookError { message } } }`
const MEMORY = 'query ($id: ID!) { memory(id: $id) { text shared version } }'

type Ask = Tenant['ask']

/** A project at another Daybook, and what can be done there. */
interface AtHome {
  readonly project: string
  /** A key with which it can be followed. */
  readonly key: string
  readonly ask: Ask
}

const card = (page: Page, project: string) => page.getByRole('region', { name: project, exact: true })
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** What operators of a Daybook that follows another one see and do. The suite's daemon is the follower. */
export function syncJourneys(suite: ConsoleSuite): void {
  let proxy: SwitchingProxy
  let home: TestDaemon
  beforeAll(async () => {
    proxy = await startSwitchingProxy()
    home = createTestDaemon(undefined, {
      environment: {
        DAYBOOK_EMBEDDER: 'test-hash/64/token-bits-1',
        DAYBOOK_ALLOWED_HOSTS: `127.0.0.1:${proxy.port}`,
        DAYBOOK_NEXT_HOMES: '127.0.0.1',
      },
    })
    await home.start()
  })
  beforeEach(() => reachable(true))
  afterAll(async () => {
    await proxy?.stop()
    await home?.remove()
  })
  const homeUrl = () => `http://127.0.0.1:${proxy.port}`
  const reachable = (can: boolean) =>
    proxy.route(can ? { host: '127.0.0.1', port: Number(new URL(home.url() ?? '').port) } : null)

  /** A key of a project, or of all, at one of the two. */
  const makeKey = async (
    daemon: TestDaemon,
    project: string | null,
    scopes = ['READ', 'WRITE', 'FOLLOW', 'ADMIN'],
  ): Promise<{ key: string; ask: Ask }> => {
    const { createKey } = dataOf<{ createKey: { key: string } }>(
      await daemon.graphql({
        query: `mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { key } } }`,
        variables: {
          input: {
            name: `laptop of ${project ?? 'all'}`,
            ...(project === null ? { allProjects: true } : { projects: [project] }),
            scopes,
          },
        },
      }),
    )
    const { key } = createKey
    const ask: Ask = async (query, variables = {}) =>
      dataOf(await askGraphQL({ url: daemon.url() ?? '', apiKey: key }, { query, variables }))
    return { key, ask }
  }
  const newAtHome = async (): Promise<AtHome> => {
    const project = `harbour-${newId().slice(-6)}`
    await home.graphql({
      query: 'mutation ($name: String!) { createProject(name: $name) { __typename } }',
      variables: { name: project },
    })
    return { project, ...(await makeKey(home, project)) }
  }
  const remember = async (ask: Ask, text: string): Promise<string> =>
    (await ask(REMEMBER, { input: { content: { note: { text } }, agent: 'skipper' } })).remember.memory.id

  async function followInForm(page: Page, { project, key }: AtHome, rule?: string): Promise<void> {
    await page.getByRole('button', { name: 'Follow a project' }).click()
    const form = page.getByRole('dialog', { name: 'Follow a project' })
    await form.getByLabel('Address of its home').fill(homeUrl())
    await form.getByLabel('Key').fill(key)
    await form.getByLabel('Project', { exact: true }).fill(project)
    if (rule !== undefined) await form.getByLabel('Conflicts').selectOption(rule)
    await form.getByRole('button', { name: 'Follow' }).click()
    await page.getByText(`${project} follows ${homeUrl()} from now on.`).waitFor()
    await card(page, project).getByText('connected', { exact: true }).waitFor()
  }

  test('a project is followed through the form, written to offline, and shared later', async () => {
    const atHome = await newAtHome()
    const { project } = atHome
    await remember(atHome.ask, 'The ferry leaves at nine from the old harbour')
    const visit = await suite.visitAs(await suite.newAdmin(), { path: '/console/sync' })
    const { page } = visit
    await page.getByText('Every project here has its home here.').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('sync-none')

    await page.getByRole('button', { name: 'Follow a project' }).click()
    const form = page.getByRole('dialog', { name: 'Follow a project' })
    await form.getByLabel('Address of its home').fill(homeUrl())
    expect(await form.getByLabel('Key').getAttribute('type')).toBe('password')
    await form.getByLabel('Key').fill(`${atHome.key.slice(0, -1)}_`)
    await form.getByLabel('Project', { exact: true }).fill(project)
    await form.getByRole('button', { name: 'Follow' }).click()
    await form.getByRole('alert').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('sync-form')
    await form.getByLabel('Key').fill(atHome.key)
    await form.getByRole('button', { name: 'Follow' }).click()
    const followed = card(page, project)
    await followed.getByText('connected', { exact: true }).waitFor()
    await followed.getByText('1 of 1').waitFor()
    expect(await page.content()).not.toContain(atHome.key.slice(14))
    expect(
      await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
    ).not.toContain(atHome.key.slice(14))
    await visit.screenshot('sync-connected')

    reachable(false)
    const { key, ask } = await makeKey(suite.daemon, project)
    await remember(ask, 'Written on the ferry, without a network')
    await followed.getByText('offline', { exact: true }).waitFor()
    await followed
      .locator('dd')
      .filter({ hasText: /^1the oldest/u })
      .waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('sync-offline')
    await visit.end()

    const reader = await suite.visitAs({ key }, { path: '/' })
    const mark = reader.page.locator('.hit').getByText('not shared yet')
    await reader.page.getByText('2 memories, the newest first').waitFor()
    expect(await mark.count()).toBe(1)
    await reader.screenshot('sync-mark-list')
    await reader.page.goto('/?q=ferry')
    await reader.page.locator('[data-answers="ferry"]').waitFor()
    await reader.page
      .locator('.hit')
      .filter({ hasText: 'Written on the ferry' })
      .getByText('not shared yet')
      .waitFor()
    expect(await mark.count()).toBe(1)
    expect(await seriousFindings(reader.page)).toEqual([])
    const link = reader.page.getByRole('link', { name: 'Open Written on the ferry' })
    const other = await reader.context.newPage()
    await other.goto((await link.getAttribute('href')) ?? '')
    const ofMemory = other.locator('.memory-name').getByText('not shared yet')
    await ofMemory.waitFor()
    await other.getByText('remembered version 1').waitFor()
    await reader.screenshot('sync-mark-memory', other)
    const journal = await suite.visitAs({ key }, { path: '/console/journal' })
    await journal.page.getByText('events 1 to 2 of 2').waitFor()

    // The marks go away by themselves.
    reachable(true)
    await mark.waitFor({ state: 'hidden' })
    await ofMemory.waitFor({ state: 'hidden' })
    await journal.page.getByText('The end of the journal was replaced').waitFor()
    await remember(atHome.ask, 'The ferry is back')
    await journal.page.getByText('events 1 to 3 of 3').waitFor()
    await journal.screenshot('sync-journal')
    await journal.end()
    await reader.end()

    const after = await suite.visitAs(await suite.newAdmin(), { path: '/console/sync' })
    await card(after.page, project).getByText('connected', { exact: true }).waitFor()
    await card(after.page, project).getByText('3 of 3').waitFor()
    await after.end()
    await expect
      .poll(async () => (await atHome.ask('{ memories { edges { node { title } } } }')).memories.edges)
      .toHaveLength(3)
    const operator = await suite.visitAs(await makeKey(home, null), {
      at: home.url() ?? '',
      path: `/console/sync?project=${project}`,
    })
    const row = operator.page.getByRole('table', { name: 'Followers' }).getByRole('row').last()
    await row.getByText('connected').waitFor()
    await row.getByText(`laptop of ${project}`).waitFor()
    expect(await seriousFindings(operator.page)).toEqual([])
    await operator.screenshot('sync-followers')
    await operator.end()
  })

  test('a conflict is shown word by word, and decided by a click', async () => {
    const atHome = await newAtHome()
    const { project } = atHome
    const ids = [
      await remember(atHome.ask, 'The ferry leaves at nine from the old harbour'),
      await remember(atHome.ask, 'Tickets are sold at the pier'),
    ]
    const [ferry = '', tickets = ''] = ids
    const visit = await suite.visitAs(await suite.newAdmin(), { path: '/console/sync' })
    const { page } = visit
    await followInForm(page, atHome, 'ASK')
    const { ask } = await makeKey(suite.daemon, project)
    await expect.poll(async () => (await ask(MEMORY, { id: tickets })).memory?.version).toBe(1)
    reachable(false)
    await ask(REVISE, { id: ferry, text: 'The ferry leaves at ten from the old harbour' })
    await ask(REVISE, { id: tickets, text: 'Tickets are sold on board' })
    await atHome.ask(REVISE, { id: ferry, text: 'The last ferry leaves at nine from the new harbour' })
    await atHome.ask(REVISE, { id: tickets, text: 'Tickets are sold at the kiosk' })
    reachable(true)

    await card(page, project).getByRole('link', { name: '2 conflicts' }).click()
    const conflicts = page.getByRole('list', { name: 'Conflicts that wait' }).getByRole('listitem')
    const first = conflicts.filter({ hasText: 'ferry' })
    await first.locator('ins').getByText('ten').waitFor()
    await first.locator('del').getByText('new').waitFor()
    await first.getByText('written on version 1').waitFor()
    await first.getByText('the home had version 2').waitFor()
    await first.getByText(`by laptop of ${project}`).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('sync-conflicts')
    await page.setViewportSize({ width: 400, height: 800 })
    expect(await overflow(page)).toBe(0)
    await visit.screenshot('sync-conflicts-narrow')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('sync-conflicts-narrow-dark')
    await page.setViewportSize({ width: 1280, height: 800 })
    await visit.screenshot('sync-conflicts-dark')

    await first.getByRole('button', { name: 'Mine' }).click()
    await expect
      .poll(async () => (await atHome.ask(MEMORY, { id: ferry })).memory.text)
      .toContain('leaves at ten')
    await conflicts.filter({ hasText: 'Tickets' }).getByRole('button', { name: 'Theirs' }).click()
    await page.getByText('None waits for a decision.').waitFor()
    expect((await atHome.ask(MEMORY, { id: tickets })).memory).toMatchObject({ version: 2 })
    await page.getByText('Those that are decided').click()
    const decided = page.getByRole('list', { name: 'Decided conflicts' })
    await decided.getByText('Left out by administrator').waitFor()
    await decided.getByText('Made on top by administrator').waitFor()
    await visit.screenshot('sync-decided')
    await visit.end()
  })

  test('it is paused, asks before it is left with something unshared, and changes its home', async () => {
    const [left, moved] = [await newAtHome(), await newAtHome()]
    await remember(left.ask, 'Nets are mended on Fridays')
    const visit = await suite.visitAs(await suite.newAdmin(), { path: '/console/sync' })
    const { page } = visit
    await followInForm(page, left)
    await followInForm(page, moved)
    const followed = card(page, left.project)
    await followed.getByRole('button', { name: 'Pause' }).click()
    await followed.getByText('paused', { exact: true }).waitFor()
    await followed.getByLabel('In a conflict').selectOption('ask me')
    await expect
      .poll(async () => {
        const { followedProjects } = await suite.askAsAdmin('{ followedProjects { rule project { name } } }')
        return followedProjects.find(
          (one: { project: { name: string } }) => one.project.name === left.project,
        ).rule
      })
      .toBe('ASK')
    const { ask } = await makeKey(suite.daemon, left.project)
    await remember(ask, 'Only here')
    await followed
      .locator('dd')
      .filter({ hasText: /^1the oldest/u })
      .waitFor()
    await visit.screenshot('sync-paused')

    await followed.getByRole('button', { name: 'Unfollow' }).click()
    const leaving = page.getByRole('dialog', { name: `Unfollow ${left.project}?` })
    await leaving.getByText('1 change is only here, and would be lost for good.').waitFor()
    const leave = leaving.getByRole('button', { name: 'Unfollow, and lose this' })
    expect(await leave.isDisabled()).toBe(true)
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('sync-unfollow')
    await leaving.getByRole('button', { name: 'Cancel' }).click()
    await followed.getByRole('button', { name: 'Resume' }).click()
    await followed.getByText('2 of 2').waitFor()
    await followed.getByText('connected', { exact: true }).waitFor()
    await followed.getByRole('button', { name: 'Unfollow' }).click()
    await leaving.getByText('Nothing would be lost').waitFor()
    await leaving.getByLabel(/to confirm/u).fill(left.project)
    await leaving.getByRole('button', { name: 'Unfollow' }).click()
    await page.getByText(`${left.project} is followed no more. Everything is at ${homeUrl()}.`).waitFor()
    await followed.waitFor({ state: 'hidden' })

    await card(page, moved.project).getByRole('button', { name: 'Make this its home' }).click()
    const promoting = page.getByRole('dialog', { name: 'Make this Daybook the home' })
    await promoting.getByLabel('Address of this Daybook').fill(suite.url)
    await promoting.getByLabel('The home is lost').check()
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('sync-promote')
    await promoting.getByLabel('The home is lost').uncheck()
    const promote = promoting.getByRole('button', { name: 'Make it its home' })
    expect(await promote.isDisabled()).toBe(true)
    await promoting.getByLabel(/to confirm/u).fill(moved.project)
    await promote.click()
    await page.getByText(`This Daybook is the home of ${moved.project} now, in epoch 2.`).waitFor()
    const { followedProjects } = await moved.ask('{ followedProjects { homeUrl } }')
    expect(followedProjects).toEqual([{ homeUrl: suite.url }])
    await visit.end()
  })
}
