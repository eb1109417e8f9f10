import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { seriousFindings } from '../support/axe.ts'
import type { ConsoleSuite, Tenant } from '../support/console-suite.ts'
import { harm } from '../support/harm.ts'
import { REMEMBERED } from '../support/memories.ts'

const card = (page: Page) => page.getByRole('region', { name: 'pgvector' })

async function projectId(suite: ConsoleSuite, { project }: Tenant): Promise<string> {
  const { projects } = await suite.askAsAdmin('{ projects { id name } }')
  return projects.find(({ name }: { name: string }) => name === project).id
}

/** The generation that searches read. */
export async function liveGeneration(suite: ConsoleSuite): Promise<number> {
  const { generations } = await suite.askAsAdmin('{ generations { generation status } }')
  return generations.find(({ status }: { status: string }) => status === 'LIVE').generation
}

/** What operators see and do. */
export function operationsJourneys(suite: ConsoleSuite): void {
  test('a rebuild is watched to its end, and rolled back', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(await suite.newAdmin(), { path: '/console/operations' })
    const { page } = visit
    const before = await liveGeneration(suite)
    await card(page).getByRole('button', { name: 'Rebuild pgvector' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rebuild pgvector' })
    expect(await seriousFindings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Rebuild' }).click()
    await card(page).getByRole('progressbar', { name: 'Rebuild of pgvector' }).waitFor()
    await visit.screenshot('rebuild')
    await page.getByText(`Generation ${before + 1} is live, with vectors of test-hash`).waitFor()
    await card(page).getByRole('progressbar').waitFor({ state: 'hidden' })
    await card(page).getByText(`Generation ${before} old`).waitFor()
    expect(await liveGeneration(suite)).toBe(before + 1)

    await card(page).getByRole('button', { name: 'Roll back pgvector' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await card(page).getByText(`Generation ${before} live`).waitFor()
    expect(await liveGeneration(suite)).toBe(before)
    await visit.end()
  })

  test('verify says that all is equal, names what was damaged, and repairs it', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(await suite.newAdmin(), { path: '/console/operations' })
    const { page } = visit
    const verify = card(page).getByRole('button', { name: 'Verify pgvector' })
    const verdict = card(page).locator('.verdict')
    await verify.click()
    await verdict.getByText(/^[\d,]+ memories equal the journal\./u).waitFor()
    await visit.screenshot('verify-clean')

    const { memories } = await tenant.ask('{ memories(first: 1) { edges { node { id } } } }')
    const damaged = memories.edges[0].node.id.split(':')[1] as string
    const important = async () =>
      (await tenant.ask('{ facets(filter: { minImportance: 9 }) { memories } }')).facets.memories
    const generation = await liveGeneration(suite)
    await harm(
      suite.daemon.dataDir,
      `update pgvector_${generation}.memories set importance = 9 where memory_id = '${damaged}'`,
    )
    expect(await important()).toBe(1)
    await verify.click()
    await verdict.getByText(/^1 of [\d,]+ memories differs from the journal\./u).waitFor()
    await verdict.getByText('What it is').click()
    await verdict.getByText(`${tenant.project}: memory ${damaged} differs in row`).waitFor()
    await visit.screenshot('verify-damage')
    await verdict.getByRole('button', { name: 'Repair' }).click()
    await verdict
      .getByText(/^1 memory differed and was repaired; [\d,]+ memories equal the journal\./u)
      .waitFor()
    expect(await important()).toBe(0)
    await visit.end()
  })

  test('parked events are seen with their reasons, retried and dropped', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const id = await projectId(suite, tenant)
    const park = async (sequence: number) =>
      harm(
        suite.daemon.dataDir,
        `insert into parked_events (projection, generation, project_id, sequence, memory_id, error, attempts)
         select 'pgvector', ${await liveGeneration(suite)}, project_id, sequence, memory_id, 'too <b>strange</b>', 5
         from events where project_id = '${id}' and sequence = ${sequence}`,
      )
    await park(1)
    await park(2)
    const visit = await suite.visitAs(await suite.newAdmin(), { path: '/console/operations' })
    const { page } = visit
    const rows = page.getByRole('table', { name: 'Parked events' }).getByRole('row')
    const first = rows.filter({ hasText: 'jwt-validation' })
    await first.getByText('too <b>strange</b>').waitFor()
    await page.getByText('found something').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('parked')
    await first.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Memories up to date again: 1; still parked: 0.').waitFor()
    await first.waitFor({ state: 'hidden' })

    const second = rows.filter({ hasText: 'release train' })
    await second.getByRole('button', { name: 'Drop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click()
    await second.getByText('dropped').waitFor()
    // Nothing of it stays for other journeys.
    await harm(suite.daemon.dataDir, `delete from parked_events where project_id = '${id}'`)
    await visit.end()
  })
}
