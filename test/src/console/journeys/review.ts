import { expect, test } from 'vitest'
import { seriousFindings } from '../support/axe.ts'
import type { ConsoleSuite, Tenant } from '../support/console-suite.ts'

/** Waits until one pair is suspected: texts are compared once they have their vectors. */
async function oneSuspected({ ask }: Tenant): Promise<void> {
  const count = async () => (await ask('{ suspected { edges { cursor } } }')).suspected.edges.length
  await expect.poll(count).toBe(1)
}

/** The page of suspected pairs. */
export function reviewJourneys(suite: ConsoleSuite): void {
  test('two memories that contradict each other are looked at, settled, and the decision is undone', async () => {
    const tenant = await suite.newTenant()
    const note = (text: string) => ({ content: { note: { text } }, context: 'shop' })
    await tenant.remember([note('The shop opens at nine in the morning')])
    await tenant.remember([note('The shop opens at ten in the morning'), note('Bees make honey')])
    await oneSuspected(tenant)
    const visit = await suite.visitAs(tenant, { path: '/console/review' })
    const { page } = visit
    const pairs = page.getByRole('article')
    await page.getByText('1 pair, the latest written first.').waitFor()
    await pairs.getByRole('heading', { name: 'They seem to contradict each other' }).waitFor()
    await pairs.getByText('They differ in nine → ten').waitFor()
    await pairs.getByRole('region', { name: 'Older' }).getByRole('link').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('review')

    await pairs.getByRole('button', { name: 'Newer replaces older' }).click()
    await pairs.getByText('Settled: newer replaces older.').waitFor()
    const superseded = async () => {
      const { memories } = await tenant.ask(
        '{ memories { edges { node { title supersededBy { title } } } } }',
      )
      return memories.edges.flatMap(
        ({ node }: { node: { supersededBy: { title: string } | null } }) => node.supersededBy?.title ?? [],
      )
    }
    await expect.poll(superseded).toEqual(['The shop opens at ten in the morning'])
    await page.getByLabel('Show').selectOption('duplicate')
    await page.getByText('Nothing is suspected.').waitFor()
    await page.goBack()
    await page.getByText('Nothing is suspected.').waitFor()

    await tenant.remember([note('The shop opens at eleven in the morning')])
    await oneSuspected(tenant)
    await page.reload()
    await pairs.getByRole('button', { name: 'Forget newer' }).first().click()
    await pairs.getByRole('link', { name: 'Undo …' }).click()
    await page
      .getByRole('region', { name: 'What would happen' })
      .getByRole('button', { name: 'Undo this in 1 memory' })
      .click()
    await page.getByText('The undo is done').waitFor()
    await visit.end()
  })

  test('a key that may only read sees the pairs, and cannot settle them', async () => {
    const tenant = await suite.newTenant()
    const note = (text: string) => ({ content: { note: { text } }, context: 'shop' })
    await tenant.remember([note('The till has 20 drawers'), note('The till has 30 drawers')])
    await oneSuspected(tenant)
    const { createKey: reader } = await suite.askAsAdmin(
      'mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { key } } }',
      { input: { name: 'reader', projects: [tenant.project], scopes: ['READ'] } },
    )
    const visit = await suite.visitAs(reader, { path: '/console/review?suspicion=contradicts&context=shop' })
    const { page } = visit
    await page.getByText('Your key may only read').waitFor()
    await page.getByText('They differ in 20 → 30').waitFor()
    expect(await page.getByRole('button', { name: 'Keep both' }).count()).toBe(0)
    await visit.end()
  })
}
