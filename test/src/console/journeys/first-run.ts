import { MCP_CLIENTS as INSTALLED } from '@daybook/cli/mcp/clients'
import { MCP_CLIENTS } from '@daybook/console/first-run/commands'
import { expect, test } from 'vitest'
import type { ConsoleSuite } from '../support/console-suite.ts'

/** What an empty Daybook shows. */
export function firstRunJourneys(suite: ConsoleSuite): void {
  test('an empty Daybook says what to do; examples come and go by one press each', async () => {
    const tenant = await suite.newTenant()
    const visit = await suite.visitAs(tenant)
    const { page } = visit
    await page.getByText('npx daybook mcp install --client claude-code').waitFor()
    await visit.screenshot('first-run')
    await page.getByLabel('Program').selectOption('cursor')
    await page.getByRole('button', { name: 'Copy: Connect cursor' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'npx daybook mcp install --client cursor',
    )

    await page.getByRole('button', { name: 'Add example memories' }).click()
    await page.getByText('8 memories, the newest first').waitFor()
    await visit.screenshot('examples')
    await page.getByRole('link', { name: 'Get started' }).click()
    await page.getByRole('button', { name: 'Remove the 8 example memories' }).click()
    await page.getByText('The example memories are gone.').waitFor()
    expect((await tenant.ask('{ facets { memories } }')).facets.memories).toBe(0)
    await visit.end()
  })

  test('what an agent remembers appears by itself', async () => {
    const tenant = await suite.newTenant()
    const visit = await suite.visitAs(tenant)
    const { page } = visit
    await page.getByText('npx daybook mcp install').first().waitFor()
    await tenant.remember([{ content: { note: { text: 'the first memory of all' } } }])
    await page.getByText('1 memory, the newest first').waitFor()
    await page.getByRole('button', { name: 'the first memory of all' }).waitFor()
    expect(await page.getByText('npx daybook mcp install').count()).toBe(0)
    await visit.screenshot('appears')
    await visit.end()
  })

  test('the page offers each program that the CLI can connect', () => {
    expect([...MCP_CLIENTS]).toEqual(INSTALLED.map(({ id }) => id))
  })
}
