import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findingsInBothThemes, seriousFindings } from '../support/axe.ts'
import type { ConsoleSuite, Tenant } from '../support/console-suite.ts'

const INSIGHT = { insight: { key: 'jwt', content: 'Always validate the expiration of a token' } }
const MARKUP = 'Text, not markup: <img src=x onerror="document.title=1"> <script>document.title=2</script>'

const pathOf = (id: string) => `/console/memory/${encodeURIComponent(id)}`
const history = (page: Page) => page.getByRole('region', { name: 'History' })

async function rememberOne(tenant: Tenant, content: object, others: object = {}): Promise<string> {
  await tenant.remember([{ content, ...others }])
  const { memories } = await tenant.ask('{ memories(first: 1) { edges { node { id } } } }')
  return memories.edges[0].node.id
}

/** Revises it elsewhere, and waits until that can be read: the page reads what it is told of. */
async function reviseOver(tenant: Tenant, id: string, input: object): Promise<void> {
  const { revise } = await tenant.ask(
    `mutation ($id: ID!, $input: ReviseInput!) { revise(id: $id, input: $input) { ... on Revised { sequence } } }`,
    { id, input },
  )
  await tenant.ask('query ($id: ID!, $atLeast: Int!) { memory(id: $id, atLeast: $atLeast) { id } }', {
    id,
    atLeast: revise.sequence,
  })
}

const read = async (tenant: Tenant, id: string) =>
  (
    await tenant.ask('query ($id: ID!) { memory(id: $id) { version text labels importance forgottenAt } }', {
      id,
    })
  ).memory

/** One memory's page. */
export function memoryJourneys(suite: ConsoleSuite): void {
  test('a memory is revised in place; a conflict is explained and loses nothing that was typed', async () => {
    const tenant = await suite.newTenant()
    const id = await rememberOne(tenant, INSIGHT, { labels: ['auth'], context: 'shop' })
    const visit = await suite.visitAs(tenant, { path: '/?q=token' })
    const { page } = visit
    await page.getByRole('link', { name: 'Open jwt' }).click()
    await page.getByRole('heading', { name: 'jwt', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Revise' }).click()
    const form = page.getByRole('form', { name: 'Revise' })
    await form
      .getByLabel('Content', { exact: true })
      .fill('Always validate the audience and expiration of a token')
    await reviseOver(tenant, id, { importance: 9 })
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Somebody else changed this memory while you wrote').waitFor()
    await form.getByText('Importance').first().waitFor()
    expect(await read(tenant, id)).toMatchObject({ version: 2 })
    await visit.screenshot('revise-conflict')
    await form.getByRole('button', { name: 'Save over version 2' }).click()
    await history(page).getByText('version 3').waitFor()
    await expect
      .poll(() => history(page).locator('.version').first().locator('ins').allTextContents())
      .toEqual(['audience and '])
    expect(await read(tenant, id)).toMatchObject({
      version: 3,
      importance: 9,
      labels: ['auth'],
      text: 'jwt\nAlways validate the audience and expiration of a token',
    })
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('revise')
    await visit.end()
  })

  test('a version is restored; forgetting is taken back', async () => {
    const tenant = await suite.newTenant()
    const id = await rememberOne(tenant, INSIGHT)
    await reviseOver(tenant, id, { content: { insight: { content: 'Tokens never expire' } } })
    const visit = await suite.visitAs(tenant, { path: pathOf(id) })
    const { page } = visit
    await history(page).getByRole('button', { name: 'Restore version 1' }).click()
    await page.getByText('version 3,').waitFor()
    expect((await read(tenant, id)).text).toContain('Always validate')
    await visit.screenshot('restore')
    await page.getByRole('button', { name: 'Forget' }).click()
    await page.getByText('no search finds it').waitFor()
    expect((await read(tenant, id)).forgottenAt).not.toBeNull()
    await visit.screenshot('forget')
    await page.getByRole('button', { name: 'Bring it back' }).click()
    await page.getByRole('button', { name: 'Forget' }).waitFor()
    expect((await read(tenant, id)).forgottenAt).toBeNull()
    await visit.end()
  })

  test('erasing needs an admin key, and the word typed; then nothing is left but the receipt', async () => {
    const tenant = await suite.newTenant(['READ', 'WRITE', 'ADMIN'])
    const id = await rememberOne(tenant, INSIGHT)
    const visit = await suite.visitAs(tenant, { path: pathOf(id) })
    const { page } = visit
    await page.getByRole('button', { name: 'Erase …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Erase this memory for good?' })
    const button = dialog.getByRole('button', { name: 'Erase for good' })
    expect(await button.isDisabled()).toBe(true)
    await dialog.getByLabel('Type erase to confirm').fill('earse')
    expect(await button.isDisabled()).toBe(true)
    await dialog.getByLabel('Type erase to confirm').fill('erase')
    await visit.screenshot('erase')
    await button.click()
    await page.getByText('One version lost what it said').waitFor()
    const { journal } = await tenant.ask('{ journal { status memory { title } } }')
    expect(journal.map(({ memory }: { memory: object | null }) => memory)).toEqual([null, null])
    await page.goto(pathOf(id))
    await page.getByText('This project has no memory').waitFor()
    await visit.end()

    const writer = await suite.newTenant()
    const other = await suite.visitAs(writer, { path: pathOf(await rememberOne(writer, INSIGHT)) })
    expect(await other.page.getByRole('button', { name: 'Erase …' }).isDisabled()).toBe(true)
    await other.end()
  })

  test('a memory is added by hand, and what says the same is told', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember([{ content: { note: { text: 'The train leaves at six' } }, context: 'travel' }])
    const visit = await suite.visitAs(tenant, { path: '/console/journal' })
    const { page } = visit
    const add = page.getByRole('button', { name: 'Add a memory' })
    const form = page.getByRole('dialog', { name: 'Add a memory' })
    await add.click()
    await form.waitFor()
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await expect.poll(() => add.evaluate((button) => button === document.activeElement)).toBe(true)

    await add.click()
    await form.waitFor()
    // It begins in the text.
    await page.keyboard.type('The train leaves at six')
    // What was typed stays, and the kind asks for what it needs besides.
    await form.getByLabel('Kind').selectOption('decision')
    await form.getByLabel('Topic').fill('unused')
    await expect
      .poll(() => form.getByLabel('Decision', { exact: true }).inputValue())
      .toBe('The train leaves at six')
    await form.getByLabel('Kind').selectOption('note')
    await form.getByLabel('Labels').fill('time, rail')
    await form.getByLabel('Context').fill('travel')
    expect(await findingsInBothThemes(page)).toEqual([])
    await visit.screenshot('add')
    await form.getByRole('button', { name: 'Remember' }).click()
    const told = page.getByRole('dialog', { name: 'Remembered' })
    await told.getByText('The same, or nearly the same, is remembered already').waitFor()
    const same = told.getByRole('region', { name: 'What says the same' }).getByRole('listitem')
    await expect.poll(() => same.count()).toBe(1)
    await expect.poll(() => same.textContent()).toContain('the same text')
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('added')
    await told.getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'The train leaves at six' }).waitFor()
    await told.waitFor({ state: 'detached' })
    const { memories } = await tenant.ask('{ memories { edges { node { kind labels context } } } }')
    expect(memories.edges[0].node).toEqual({ kind: 'NOTE', labels: ['time', 'rail'], context: 'travel' })
    await visit.end()

    const reader = await suite.visitAs(await suite.newTenant(['READ']))
    await expect.poll(() => reader.page.getByRole('button', { name: 'Add a memory' }).count()).toBe(0)
    await reader.end()
  })

  test('a todo is done from its line, and not done again from its page', async () => {
    const tenant = await suite.newTenant()
    const id = await rememberOne(tenant, { todo: { description: 'Water the plants' } })
    const resolvedAt = async () =>
      (
        await tenant.ask('query ($id: ID!) { memory(id: $id) { ... on Todo { resolvedAt } } }', {
          id,
        })
      ).memory.resolvedAt
    const visit = await suite.visitAs(tenant, { width: 1000 })
    const { page } = visit
    await page.getByRole('button', { name: 'Done: Water the plants', exact: true }).click()
    await page.getByRole('button', { name: 'Not done: Water the plants' }).waitFor()
    await expect.poll(() => resolvedAt()).not.toBeNull()
    await visit.screenshot('todo')
    expect(await seriousFindings(page)).toEqual([])
    await page.goto(pathOf(id))
    await page.getByRole('button', { name: 'Not done: Water the plants' }).click()
    await page.getByRole('button', { name: 'Done: Water the plants', exact: true }).waitFor()
    await expect.poll(() => resolvedAt()).toBeNull()
    await visit.end()
  })

  test('what a memory says stays text; two tabs show the same, also after a change elsewhere', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember([{ content: { note: { text: 'before it' } }, context: 'strangers' }])
    const id = await rememberOne(
      tenant,
      { note: { text: MARKUP } },
      { context: 'strangers', labels: ['<b>bold</b>'], metadata: { html: '<i>' } },
    )
    const visit = await suite.visitAs(tenant, { path: pathOf(id) })
    const { page } = visit
    await page.getByRole('region', { name: 'What it says' }).getByText(MARKUP).waitFor()
    await page.getByText('Around it in strangers').waitFor()
    await page.getByRole('link', { name: 'before it' }).first().waitFor()
    expect(await page.locator('main :is(img, script, b, i)').count()).toBe(0)
    const second = await visit.context.newPage()
    await second.goto(pathOf(id))
    await second.getByText('version 1,').waitFor()
    await reviseOver(tenant, id, { content: { note: { text: `${MARKUP} more` } } })
    // Only the tab in front follows the journal.
    for (const tab of [page, second]) {
      await tab.bringToFront()
      await tab.getByText('version 2,').waitFor()
      await tab.getByRole('region', { name: 'What it says' }).getByText(`${MARKUP} more`).waitFor()
    }
    await expect.poll(() => history(page).locator('ins').allTextContents()).toEqual([' more'])
    expect(await page.title()).toBe('Memory · Daybook')
    await visit.screenshot('two-tabs')
    await visit.end()
  })
}
