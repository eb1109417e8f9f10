import { expect, test } from 'vitest'
import { askGraphQL } from '../../support/graphql.ts'
import { seriousFindings } from '../support/axe.ts'
import type { ConsoleSuite } from '../support/console-suite.ts'
import { REMEMBERED } from '../support/memories.ts'

/** What administrators do with keys, writers and projects. */
export function keysJourneys(suite: ConsoleSuite): void {
  test('a key is made, shown once, used and revoked', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(await suite.newAdmin(), {
      path: `/console/keys?project=${tenant.project}`,
    })
    const { page } = visit
    await page.getByRole('button', { name: 'Create a key' }).click()
    const form = page.getByRole('dialog', { name: 'Create a key' })
    const name = `reader of ${tenant.project}`
    await form.getByLabel('Name').fill(name)
    await form.getByLabel('Write').uncheck()
    await form.getByLabel('Trust').selectOption('LOW')
    await form.getByLabel('Expires').selectOption('in 30 days')
    expect(await seriousFindings(page)).toEqual([])
    await form.getByRole('button', { name: 'Create' }).click()
    const shown = page.getByRole('dialog', { name: `The key of ${name}` })
    await shown.getByRole('button', { name: 'Copy: The key' }).click()
    await shown.getByText('Copied').waitFor()
    const key = await page.evaluate(() => navigator.clipboard.readText())
    await visit.screenshot('key-made')
    await shown.getByRole('button', { name: 'I have kept it' }).click()

    const used = (query: string) => askGraphQL({ url: suite.url, apiKey: key }, { query })
    expect((await used('{ facets { memories } }')).data).toEqual({ facets: { memories: 4 } })
    const write = await used('mutation { forget(id: "x") { __typename } }')
    expect(write.errors?.[0]?.message).toContain('needs the scope WRITE')

    const row = page.getByRole('row').filter({ hasText: name })
    await row.getByText('in 4 weeks').waitFor()
    expect(await page.content()).not.toContain(key)
    expect(await row.getByLabel('Trust of').inputValue()).toBe('LOW')
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: /^Ended/u }).click()
    await row.getByText('revoked').waitFor()
    expect((await used('{ facets { memories } }')).errors?.[0]?.message).toMatch(/revoked/u)
    await visit.screenshot('key-revoked')
    await visit.end()
  })

  test('a writer in quarantine is withheld, counted, and released', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const found = async () => (await tenant.ask('{ facets { memories } }')).facets.memories
    const visit = await suite.visitAs(await suite.newAdmin(), {
      path: `/console/keys?project=${tenant.project}`,
    })
    const { page } = visit
    const name = `key of ${tenant.project}`
    await page.getByRole('row').filter({ hasText: name }).getByRole('button', { name: 'Quarantine' }).click()
    await page.getByLabel('Reason').fill('it repeats what strangers say')
    await page.getByRole('dialog').getByRole('button', { name: 'Quarantine' }).click()
    const writer = page.getByRole('table', { name: 'Writers in quarantine' }).getByRole('row').last()
    await writer.getByText('4 memories').waitFor()
    expect(await found()).toBe(0)
    await visit.screenshot('quarantine')
    await writer.getByRole('button', { name: 'Release' }).click()
    const dialog = page.getByRole('dialog', { name: `Release the key ${name}?` })
    await dialog.getByText('4 memories of this project are withheld').waitFor()
    await dialog.getByLabel('Reason for the release').fill('looked through')
    await dialog.getByRole('button', { name: 'Release' }).click()
    await page.getByText(`The key ${name} is released; found again: 4 memories.`).waitFor()
    await page.getByText('No writer is in quarantine.').waitFor()
    expect(await found()).toBe(4)
    await visit.end()
  })

  test('a project is made, renamed, and deleted only by its name', async () => {
    const visit = await suite.visitAs(await suite.newAdmin(), { path: '/console/keys' })
    const { page } = visit
    const name = `made-${Date.now()}`
    await page.getByRole('button', { name: 'Create a project' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await page.getByText(`The project ${name} is made.`).waitFor()
    await page.getByRole('combobox', { name: /^Project/u }).selectOption(name)
    await expect.poll(() => new URL(page.url()).searchParams.get('project')).toBe(name)
    await page.getByRole('button', { name: `Rename ${name}` }).click()
    await page.getByRole('dialog').getByLabel('New name').fill(`${name}-2`)
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('project')).toBe(`${name}-2`)
    await page.getByRole('button', { name: `Delete ${name}-2` }).click()
    const dialog = page.getByRole('dialog')
    const remove = dialog.getByRole('button', { name: 'Delete for good' })
    await dialog.getByLabel(/to confirm/u).fill(name)
    expect(await remove.isDisabled()).toBe(true)
    await dialog.getByLabel(/to confirm/u).fill(`${name}-2`)
    await visit.screenshot('project-delete')
    await remove.click()
    await page.getByRole('button', { name: `Delete ${name}-2` }).waitFor({ state: 'hidden' })
    const { projects } = await suite.askAsAdmin('{ projects { name } }')
    expect(projects.map((one: { name: string }) => one.name)).not.toContain(`${name}-2`)
    await visit.end()
  })

  test('a key without ADMIN sees no pages of administrators, and is told why', async () => {
    const tenant = await suite.newTenant()
    const visit = await suite.visitAs(tenant, { path: '/console/operations' })
    const { page } = visit
    await page
      .getByText(
        `"Operations" needs a key with the scope ADMIN of all projects, one that runs the whole Daybook; the key "key of ${tenant.project}" has READ and WRITE.`,
      )
      .waitFor()
    const pages = () => page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()
    expect(await pages()).toEqual(expect.not.arrayContaining(['Operations', 'Keys and projects']))
    expect(await pages()).toContain('Search')
    await page.goto('/console/keys')
    await page.getByText('"Keys and projects" needs a key with the scope ADMIN;').waitFor()
    await visit.screenshot('not-for-this-key')
    await visit.end()

    // Of its own project: its keys, but not the Daybook.
    const admin = await suite.newTenant(['READ', 'ADMIN'])
    const second = await suite.visitAs(admin, { path: '/console/keys' })
    await second.page
      .getByRole('table', { name: 'Keys' })
      .getByText(`key of ${admin.project}`)
      .first()
      .waitFor()
    expect(await second.page.getByText(tenant.project).count()).toBe(0)
    expect(await second.page.getByRole('button', { name: /Create a project|Delete/u }).count()).toBe(0)
    await second.page.goto('/console/operations')
    await second.page.getByText('has READ and ADMIN of its own projects').waitFor()
    await second.end()
  })
}
