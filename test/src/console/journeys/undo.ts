import { expect, test } from 'vitest'
import { findingsInBothThemes } from '../support/axe.ts'
import type { ConsoleSuite } from '../support/console-suite.ts'

/** The undo's page. */
export function undoJourneys(suite: ConsoleSuite): void {
  test('an undo is looked at, done, and undone', async () => {
    const tenant = await suite.newTenant()
    const note = (text: string, agent: string) => ({ content: { note: { text } }, agent, context: 'shop' })
    await tenant.remember([note('by day', 'day-shift'), note('by night', 'night-shift')])
    const titles = async () => {
      const { memories } = await tenant.ask('{ memories { edges { node { title } } } }')
      return memories.edges.map(({ node }: { node: { title: string } }) => node.title)
    }
    const visit = await suite.visitAs(tenant, { path: '/console/undo' })
    const { page } = visit
    await page.getByRole('button', { name: '1 hour ago' }).click()
    // What there is, is offered.
    const offered = async (name: string) => {
      const list = await page.getByLabel(name).getAttribute('list')
      const options = page.locator(`datalist[id="${list}"] option`)
      return (
        await options.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value))
      ).toSorted()
    }
    await expect.poll(() => offered('by the agent')).toEqual(['day-shift', 'night-shift'])
    await expect.poll(() => offered('in the context')).toEqual(['shop'])
    await expect.poll(() => offered('with the key')).toEqual([`key of ${tenant.project}`])
    await page.getByLabel('by the agent').fill('night-shift')
    await page.getByRole('button', { name: 'Show what would happen' }).click()
    const preview = page.getByRole('region', { name: 'What would happen' })
    await preview.getByRole('row', { name: 'by night remembered is forgotten' }).waitFor()
    expect(await preview.getByRole('row').count()).toBe(2)
    expect(await titles()).toEqual(['by night', 'by day'])
    expect(await findingsInBothThemes(page)).toEqual([])
    await visit.screenshot('undo-preview')

    await preview.getByRole('button', { name: 'Undo this in 1 memory' }).click()
    await page.getByText('The undo is done').waitFor()
    await page.getByText('Memories undone: 1;').waitFor()
    await expect.poll(titles).toEqual(['by day'])
    await visit.screenshot('undo')

    await page.getByRole('button', { name: 'Take it back …' }).click()
    await preview.getByRole('row', { name: /^by night forgotten goes from version 2 back/u }).waitFor()
    await preview.getByRole('button', { name: 'Undo this in 1 memory' }).click()
    await page.getByText('The undo is done').waitFor()
    await expect.poll(async () => (await titles()).toSorted()).toEqual(['by day', 'by night'])
    await page.getByRole('button', { name: 'Undo something else' }).click()
    await page
      .getByRole('region', { name: 'Earlier undos' })
      .getByText('memories undone: 1')
      .first()
      .waitFor()
    await visit.end()
  })
}
