import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findingsInBothThemes } from '../support/axe.ts'
import type { ConsoleSuite } from '../support/console-suite.ts'
import { harm } from '../support/harm.ts'
import { liveGeneration } from './operations.ts'

const TOPICS = ['token login session key', 'bread flour oven yeast', 'train ticket berlin station']
const CONTEXTS = ['shop', 'home', 'travel']

/** Sixty memories about three things. */
const ABOUT_THREE_THINGS = Array.from({ length: 60 }, (_, at) => {
  const topic = at % 3
  const text = `${TOPICS[topic]} ${TOPICS[topic]} number ${at}`
  return {
    content: at % 4 === 0 ? { insight: { key: `insight ${at}`, content: text } } : { note: { text } },
    context: CONTEXTS[topic],
  }
})

/** The map of memories, and their growth. */
export function mapJourneys(suite: ConsoleSuite): void {
  test('a map is made and shown; what is brushed on it is listed, and opens', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(ABOUT_THREE_THINGS)
    const visit = await suite.visitAs(tenant, { path: '/console/map' })
    const { page } = visit
    await page.getByRole('heading', { name: 'There is no map yet' }).waitFor()
    await page.getByRole('button', { name: 'Make the map' }).click()
    const map = page.getByRole('img', { name: 'The map of 60 memories' })
    await map.waitFor()
    await page.getByText('60 of 60 memories').waitFor()
    const legend = page.getByRole('group', { name: 'Colours' })
    expect(await legend.getByRole('button').allTextContents()).toEqual(['note 45', 'insight 15'])
    await legend.getByLabel('Colour by').selectOption('context')
    expect(await legend.getByRole('button').allTextContents()).toEqual(['shop 20', 'home 20', 'travel 20'])
    await expect.poll(() => drawnColours(page)).toBeGreaterThan(2)
    // Each thing that the memories are about has a region, named by words of its own.
    const regions = page.getByRole('list', { name: 'Regions' }).getByRole('listitem')
    const topicOf = (name: string) =>
      TOPICS.findIndex((topic) => name.split(', ').every((word) => topic.includes(word)))
    await expect
      .poll(async () => (await regions.allTextContents()).map(topicOf).toSorted())
      .toEqual([0, 1, 2])

    // Only those of one colour can be selected once the others are hidden.
    await legend.getByRole('button', { name: /^shop/u }).click()
    await page.getByRole('button', { name: 'Select' }).click()
    const box = (await map.boundingBox())!
    await page.mouse.move(box.x + 5, box.y + 5)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.move(box.x + box.width - 60, box.y + box.height - 5)
    await page.mouse.up()
    await page.getByText('40 memories selected').waitFor()
    const list = page.getByRole('list', { name: 'Selected memories' })
    await expect.poll(() => list.getByRole('listitem').count()).toBe(40)
    await visit.screenshot('map')
    expect(await findingsInBothThemes(page)).toEqual([])
    expect(await list.textContent()).not.toContain('token login')

    // The same with keys.
    await page.getByRole('button', { name: 'Clear' }).click()
    await map.focus()
    await page.keyboard.press('Enter')
    await page.getByText('40 memories selected').waitFor()
    const link = list.getByRole('link').first()
    const href = (await link.getAttribute('href'))!
    expect(decodeURIComponent(href)).toMatch(/^\/console\/memory\/(?:note|insight):[\da-f-]{36}$/u)
    await link.click()
    await page.waitForURL(`**${href}`)
    await page.goBack()

    await tenant.remember([{ content: { note: { text: 'a newer one' } } }])
    await page.reload()
    await page.getByText('1 newer memory is not on it').waitFor()
    await visit.end()
  })

  test('the pointer on a point shows its title', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember([{ content: { note: { text: 'The only one, with <b>markup</b>' } } }])
    const visit = await suite.visitAs(tenant, { path: '/console/map', dark: true })
    const { page } = visit
    await page.getByRole('button', { name: 'Make the map' }).click()
    const map = page.getByRole('img', { name: 'The map of 1 memories' })
    const box = (await map.boundingBox())!
    // It takes the pointer once it is drawn.
    await expect
      .poll(async () => {
        await page.mouse.move(box.x + box.width / 2 + 1, box.y + box.height / 2)
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
        return page.getByText('The only one, with <b>markup</b>').isVisible()
      })
      .toBe(true)
    await visit.screenshot('map-dark')
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    await page.waitForURL(/\/console\/memory\/note/u)
    expect(await page.locator('b').count()).toBe(0)
    await visit.end()
  })

  test('growth is plotted, with the right totals, by the filters, and as tables', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(ABOUT_THREE_THINGS)
    const visit = await suite.visitAs(tenant, { path: '/console/growth' })
    const { page } = visit
    // A single day is a sentence.
    await page.getByText(/^All of it came on .+, by kind: note 45, insight 15; by context: /u).waitFor()
    await expect.poll(() => page.locator('canvas').count()).toBe(0)
    expect(await findingsInBothThemes(page)).toEqual([])
    await visit.screenshot('growth-one-day')
    const memories = `pgvector_${await liveGeneration(suite)}.memories`
    const { id } = (await tenant.ask('{ memories(first: 1) { edges { node { id } } } }')).memories.edges[0]
      .node
    const ofOne = `where memory_id = '${id.split(':')[1]}'`
    const move = (by: string) =>
      harm(
        suite.daemon.dataDir,
        `update ${memories} set created_at = created_at ${by} interval '1 day' ${ofOne}`,
      )
    await move('-')
    await page.reload()
    await page.getByText('60 memories and 60 events, in the days of Europe/Berlin').waitFor()
    const plots = page.getByRole('region', { name: /^(?:Memories|Events)/u })
    await expect.poll(() => plots.locator('canvas').count()).toBe(4)
    const kinds = page.getByRole('region', { name: 'Memories by kind', exact: true }).first()
    await kinds.getByText('As a table').click()
    expect(await kinds.getByRole('columnheader').allTextContents()).toEqual(['day', 'note', 'insight'])
    expect(await kinds.getByRole('row').last().getByRole('cell').allTextContents()).toEqual(['45', '15'])
    await visit.screenshot('growth')
    expect(await findingsInBothThemes(page)).toEqual([])
    await page.getByRole('group', { name: 'Context' }).getByRole('button', { name: /^home/u }).click()
    await page.getByText('20 memories and 20 events').waitFor()
    await page.setViewportSize({ width: 360, height: 800 })
    await visit.screenshot('growth-narrow')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await move('+')
    await visit.end()
  })
}

/** How many colours stand on the map, beside none. */
const drawnColours = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.map-canvas')
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
    const colours = new Set<number>()
    for (let at = 0; at < pixels.length; at += 4)
      if ((pixels[at + 3] ?? 0) > 0)
        colours.add(((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0))
    return colours.size
  })
