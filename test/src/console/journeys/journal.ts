import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { seriousFindings } from '../support/axe.ts'
import type { ConsoleSuite, Tenant } from '../support/console-suite.ts'
import { cuttableConnection } from '../support/cuttable-connection.ts'

/** As many as one fills quickly; DAYBOOK_JOURNEY_MEMORIES=10000 for a longer look. */
const MANY = Number(process.env['DAYBOOK_JOURNEY_MEMORIES'] ?? 1_000)

const rows = (page: Page) => page.getByRole('listbox', { name: /^Events/u }).getByRole('option')
const note = (text: string, others: object = {}) => ({ content: { note: { text } }, ...others })
const notes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => note(`note ${from + index}`))

/** The sequences of the rendered rows, from the top. */
const sequences = async (page: Page): Promise<number[]> =>
  (await page.locator('.virtual-row .entry-sequence').allTextContents()).map((text) =>
    Number(text.replaceAll(',', '')),
  )

async function fill(tenant: Tenant, count: number): Promise<void> {
  for (let from = 1; from <= count; from += 500)
    await tenant.ask(
      `mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }`,
      { inputs: notes(from, Math.min(count, from + 499)) },
    )
}

/** The journal's page. */
export function journalJourneys(suite: ConsoleSuite): void {
  test('the journal is live; a pause loses nothing; filters and the payload', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(notes(1, 3))
    const visit = await suite.visitAs(tenant, { path: '/console/journal' })
    const { page } = visit
    await page.getByText('events 1 to 3 of 3').waitFor()
    await tenant.remember([note('live <b>one</b>', { agent: 'reviewer', context: 'shop' })])
    await rows(page).getByText('live <b>one</b>').waitFor()
    expect(await sequences(page)).toEqual([4, 3, 2, 1])

    await page.getByRole('button', { name: 'Pause' }).click()
    await tenant.remember(notes(5, 24))
    await page.getByRole('button', { name: 'Resume (20 new)' }).waitFor()
    expect(await sequences(page)).toEqual([4, 3, 2, 1])
    await visit.screenshot('journal-paused')
    await page.getByRole('button', { name: 'Resume (20 new)' }).click()
    await page.getByText('events 1 to 24 of 24').waitFor()
    expect((await sequences(page)).slice(0, 12)).toEqual(Array.from({ length: 12 }, (_, at) => 24 - at))

    await page.getByLabel('Agent').selectOption('reviewer')
    await expect.poll(() => sequences(page)).toEqual([4])
    await rows(page).first().click()
    const detail = page.getByRole('region', { name: 'Event 4' })
    await detail.getByText('"text": "live <b>one</b>"').waitFor()
    expect(await page.locator('main b').count()).toBe(0)
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('journal')
    await detail.getByRole('link', { name: 'live <b>one</b>' }).click()
    await page.getByRole('heading', { name: 'live <b>one</b>', level: 1 }).waitFor()
    await visit.end()
  })

  test('a lost connection is shown, and goes on without a gap or a repeat', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(notes(1, 2))
    const way = await cuttableConnection(suite.url)
    try {
      const visit = await suite.visitAs(tenant, { path: '/console/journal', through: way.url })
      const { page } = visit
      await page.getByText('events 1 to 2 of 2').waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
      way.cut()
      await page.getByText('Connection lost, trying again').waitFor()
      await tenant.remember(notes(3, 7))
      expect(await sequences(page)).toEqual([2, 1])
      await visit.screenshot('connection-lost')
      way.mend()
      await page.getByText('Live', { exact: true }).waitFor()
      await expect.poll(() => sequences(page)).toEqual([7, 6, 5, 4, 3, 2, 1])
      await visit.end()
    } finally {
      await way.stop()
    }
  })

  test('a long journal is scrolled to its first event, and the keyboard goes from event to event', async () => {
    const tenant = await suite.newTenant()
    await fill(tenant, MANY)
    const visit = await suite.visitAs(tenant, { path: '/console/journal' })
    const { page } = visit
    await page.getByText(`of ${MANY.toLocaleString('en-GB')}`).waitFor()
    const list = page.getByRole('listbox', { name: /^Events/u })
    const seen = new Set<number>()
    const begun = performance.now()
    await expect
      .poll(
        async () => {
          await list.evaluate((area) => area.scrollBy({ top: area.scrollHeight }))
          for (const sequence of await sequences(page)) seen.add(sequence)
          return seen.has(1)
        },
        { interval: 30 },
      )
      .toBe(true)
    console.log(`${MANY} events scrolled in ${Math.round(performance.now() - begun)} ms`)
    await page.getByText('This is where the journal begins.').waitFor()
    // However long the list is, the page holds a screen of it.
    expect(await rows(page).count()).toBeLessThan(60)
    await visit.screenshot('scrolled')

    await list.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: `Event ${(MANY - 1).toLocaleString('en-GB')}` }).waitFor()
    await visit.end()
  })
}
