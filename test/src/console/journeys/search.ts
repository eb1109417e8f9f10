import { pause } from '@daybook/runtime/backoff'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findingsInBothThemes } from '../support/axe.ts'
import type { ConsoleSuite } from '../support/console-suite.ts'
import { REMEMBERED } from '../support/memories.ts'

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search the memories' })
const hits = (page: Page) => page.getByRole('list', { name: 'Hits' }).getByRole('listitem')
const titles = (page: Page) => page.locator('.hits [data-title]').allTextContents()

/** Searching, and why something was found. */
export function searchJourneys(suite: ConsoleSuite): void {
  test('search as you type: hits with snippets, ages and texts, of which none is ever HTML', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(tenant, { width: 1000 })
    const { page } = visit
    await page.getByText('4 memories, the newest first').waitFor()
    await field(page).pressSequentially('markup token', { delay: 20 })
    await page.locator('[data-answers="markup token"]').waitFor()
    await expect.poll(() => titles(page)).toContain('jwt-validation')
    const [first] = await hits(page).all()
    expect(await first!.locator('mark').allTextContents()).toContain('Markup')
    await first!.locator('[data-title]').click()
    await first!.getByText('<script>alert(1)</script>').last().waitFor()
    expect(await first!.locator('img, script').count()).toBe(0)
    expect(await first!.locator('time').getAttribute('title')).toMatch(/\d{2}:\d{2}/u)
    await visit.screenshot('search')

    // The address is the whole state: another tab shows the same.
    expect(new URL(page.url()).searchParams.get('q')).toBe('markup token')
    const shown = await titles(page)
    await page.reload()
    await page.locator('[data-answers="markup token"]').waitFor()
    expect(await titles(page)).toEqual(shown)
    await visit.end()
  })

  test('a hit explains its score with the numbers of the formula', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(tenant, { path: '/?q=token+expiration' })
    const { page } = visit
    const bar = page.getByRole('button', { name: /why was "jwt-validation" found/u })
    await bar.hover()
    const why = page.locator('.score-why:visible')
    await why.getByText('its own words and meaning').waitFor()
    await visit.screenshot('explain')
    const { search } = await tenant.ask(
      '{ search(query: "token expiration", limit: 20) { hits { score memory { title } explanation { terms { contribution } } } } }',
    )
    const hit = search.hits.find(
      ({ memory }: { memory: { title: string } }) => memory.title === 'jwt-validation',
    )
    expect(await bar.locator('.score-number').textContent()).toBe(hit.score.toFixed(2))
    expect(await why.textContent()).toContain(
      `= ${hit.score.toLocaleString('en-GB', { maximumSignificantDigits: 3 })}`,
    )
    await page.mouse.move(0, 0)
    await why.waitFor({ state: 'hidden' })
    await visit.end()
  })

  test('chips filter, count what they leave, and can be taken off', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(tenant, { path: '/?q=token' })
    const { page } = visit
    await page.getByText('Filters').click()
    const security = page.getByRole('group', { name: 'Label' }).getByRole('button', { name: /^security/u })
    await expect.poll(() => security.textContent()).toBe('security 2')
    await security.click()
    await expect.poll(() => hits(page).count()).toBe(2)
    expect(await security.getAttribute('aria-pressed')).toBe('true')
    await page
      .getByRole('group', { name: 'Agent' })
      .getByRole('button', { name: /^reviewer/u })
      .click()
    await expect.poll(() => titles(page)).toEqual(['jwt-validation'])
    await visit.screenshot('filter')
    await page.goBack()
    await expect.poll(() => hits(page).count()).toBe(2)
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await expect.poll(() => hits(page).count()).toBeGreaterThan(2)
    await visit.end()
  })

  test('two settings side by side, of as many hits as there can be', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(tenant, { path: '/?q=token&limit=100' })
    const { page } = visit
    await page.getByText('Options').click()
    await page.getByRole('button', { name: 'Compare' }).click()
    const second = page.getByRole('region', { name: 'Second setting' })
    await second.getByLabel('Ranking').selectOption('Rank fusion (RRF)')
    await second
      .getByText(/same place|only here|▲|▼/u)
      .first()
      .waitFor()
    expect(new URL(page.url()).searchParams.get('b.ranking')).toBe('RRF')
    await visit.screenshot('compare')
    await visit.end()
  })

  test('the first hit stands high; the settings fold into a line that says what is unusual', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(tenant, { width: 390, height: 844, path: '/?q=token' })
    const { page } = visit
    const options = page.locator('.search-options summary')
    const topOfFirst = async () => (await hits(page).first().boundingBox())!.y
    await page.locator('[data-answers="token"]').waitFor()
    await expect.poll(() => topOfFirst()).toBeLessThanOrEqual(260)
    await expect.poll(() => options.textContent()).toBe('Options')
    await expect.poll(() => page.getByLabel('Mode').isVisible()).toBe(false)
    await visit.screenshot('high-narrow')
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.reload()
    await page.locator('[data-answers="token"]').waitFor()
    await expect.poll(() => topOfFirst()).toBeLessThanOrEqual(200)
    await visit.screenshot('high')

    await options.click()
    await page.getByLabel('Mode').selectOption('Words only')
    await page.getByLabel('Ranking').selectOption('Rank fusion (RRF)')
    await page.getByText('Options: Words only, Rank fusion (RRF)').waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?q=token&mode=KEYWORD&ranking=RRF')
    expect(await findingsInBothThemes(page)).toEqual([])
    await page.reload()
    await page.getByText('Options: Words only, Rank fusion (RRF)').waitFor()
    await page.goto('/?q=token&compare=1&b.mode=KEYWORD')
    await page.getByText('Options: two settings compared').waitFor()
    // However much it says, the filters' line has room beside it.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.reload()
    const [own, filters] = await Promise.all(
      [options, page.getByText('Filters')].map(async (line) => (await line.boundingBox())!),
    )
    expect(filters!.y).toBe(own!.y)
    expect(filters!.height).toBeLessThanOrEqual(30)
    await visit.end()
  })

  test('two panes from 1,100 px on: the hits, and the chosen memory beside them', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(tenant, { width: 1100, path: '/?q=token' })
    const { page } = visit
    const pane = page.getByRole('region', { name: 'Chosen memory' })
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    await page.locator('[data-answers="token"]').waitFor()
    const [one = '', two = '', three = ''] = await titles(page)
    await pane.getByRole('heading', { name: one }).waitFor()
    const [left, right] = [(await hits(page).first().boundingBox())!, (await pane.boundingBox())!]
    expect(right.x).toBeGreaterThanOrEqual(left.x + left.width)

    await page.keyboard.press('j')
    await pane.getByRole('heading', { name: two }).waitFor()
    await expect.poll(() => focused()).toBe(two)
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    await pane.getByRole('heading', { name: three }).waitFor()
    await page.keyboard.press('k')
    await pane.getByRole('heading', { name: two }).waitFor()
    await visit.screenshot('two-panes')
    expect(await findingsInBothThemes(page)).toEqual([])
    // The address has the choice; letters that are typed are letters.
    await page.reload()
    await pane.getByRole('heading', { name: two }).waitFor()
    await field(page).press('End')
    await field(page).pressSequentially(' jk')
    await page.locator('[data-answers="token jk"]').waitFor()
    await field(page).fill('token')
    await page.locator('[data-answers="token"]').waitFor()
    await page.locator('.hits [data-title]').nth(1).click()
    await pane.getByRole('heading', { name: two }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: two }).waitFor()
    await expect.poll(() => page.url()).toContain('/console/memory/')

    await page.setViewportSize({ width: 1099, height: 800 })
    await page.goBack()
    await page.locator('[data-answers="token"]').waitFor()
    await expect.poll(() => pane.count()).toBe(0)
    await page.keyboard.press('j')
    await expect.poll(() => focused()).toBe(one)
    await page.keyboard.press('Enter')
    await page.locator('.hit-text').waitFor()
    await visit.end()
  })

  test('a hit says its text once; logs stand in a fixed width, with the match in view', async () => {
    const tenant = await suite.newTenant()
    const lines = (from: number) =>
      Array.from(
        { length: 60 },
        (_, at) => `2026-11-23T${from}:00:${10 + (at % 50)}Z DEBUG applied ${at} events`,
      )
    const log = [...lines(10), '2026-11-23T11:00:00Z ERROR kettle: the valve is stuck', ...lines(12)]
    await tenant.remember([...REMEMBERED, { content: { note: { text: log.join('\n') } } }])
    const visit = await suite.visitAs(tenant, { width: 1440, height: 900, path: '/?q=train+mondays+token' })
    const { page } = visit
    await page.locator('[data-answers="train mondays token"]').waitFor()
    const train = hits(page).filter({ hasText: 'release train' })
    await expect.poll(async () => (await train.textContent())!.split('leaves on Mondays').length).toBe(2)
    await expect.poll(() => train.locator('[data-title] mark').allTextContents()).toContain('train')
    const pane = page.getByRole('region', { name: 'Chosen memory' })
    await train.locator('[data-title]').click()
    await pane.locator('mark').getByText('Mondays').waitFor()

    const match = page.locator('[data-anchor]')
    const isInView = () =>
      match.evaluate((mark) => {
        const boxes = ['.memory-text', '.memory-pane, .hit-text'].flatMap((box) => mark.closest(box) ?? [])
        const { top, bottom, left, right } = mark.getBoundingClientRect()
        return boxes.every((box) => {
          const outer = box.getBoundingClientRect()
          return top >= outer.top && bottom <= outer.bottom && left >= outer.left && right <= outer.right
        })
      })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/?q=valve+stuck')
      const title = hits(page).first().locator('[data-title]')
      await title.click()
      await match.getByText('valve').waitFor()
      const text = page.getByRole('group', { name: 'Log or code' })
      await expect.poll(() => text.evaluate((one) => getComputedStyle(one).fontFamily)).toContain('monospace')
      await expect
        .poll(() => title.evaluate((one) => getComputedStyle(one).fontFamily))
        .toContain('monospace')
      await expect.poll(() => isInView()).toBe(true)
      expect(await findingsInBothThemes(page)).toEqual([])
      await visit.screenshot(`log-${width}`)
    }
    await visit.end()
  })

  test('the time slider shows what was known then', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED.slice(0, 1))
    // The page has a slider from a second on.
    await pause(1_000)
    await tenant.remember(REMEMBERED.slice(1))
    const visit = await suite.visitAs(tenant)
    const { page } = visit
    await page.getByText('4 memories, the newest first').waitFor()
    await page.getByText('Options').click()
    const slider = page.getByRole('slider', { name: /What was known/u })
    // The first of 200 steps, before the second, however long the page took to open.
    await slider.fill('1')
    await page.getByText('1 memory, the newest first').waitFor()
    expect(await titles(page)).toEqual(['jwt-validation'])
    await visit.screenshot('time-slider')
    await page.reload()
    await page.getByText('1 memory, the newest first').waitFor()
    await page.getByText(/^Options: as of /u).click()
    await page.getByRole('button', { name: 'Back to now' }).click()
    await page.getByText('4 memories, the newest first').waitFor()
    await visit.end()
  })
}
