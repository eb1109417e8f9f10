import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findingsInBothThemes, seriousFindings } from '../support/axe.ts'
import type { ConsoleSuite } from '../support/console-suite.ts'
import { REMEMBERED } from '../support/memories.ts'

const isDark = (page: Page) =>
  page.evaluate(() => {
    const [red = 255] = getComputedStyle(document.body).backgroundColor.match(/\d+/gu)?.map(Number) ?? []
    return red < 100
  })
/** How far the page reaches beyond the window's right edge, in CSS pixels. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Light, dark, narrow, wide, without a mouse, and for screen readers. */
export function appearanceJourneys(suite: ConsoleSuite): void {
  test('dark, as the system says or as chosen', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(tenant, { dark: true, path: '/?q=token' })
    const { page } = visit
    await page.locator('[data-answers="token"]').waitFor()
    expect(await isDark(page)).toBe(true)
    await visit.screenshot('dark')
    expect(await seriousFindings(page)).toEqual([])
    await page.getByLabel('Theme').selectOption('Light')
    expect(await isDark(page)).toBe(false)
    await page.reload()
    await page.locator('[data-answers="token"]').waitFor()
    expect(await isDark(page)).toBe(false)
    await visit.end()
  })

  test('360 px wide and 4K: nothing is cut off', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember([...REMEMBERED, { content: { note: { text: `token ${'unbroken'.repeat(60)}` } } }])
    const visit = await suite.visitAs(tenant, { width: 360, height: 740, path: '/?q=token' })
    const { page } = visit
    await page.locator('[data-answers="token"]').waitFor()
    expect(await overflow(page)).toBe(0)
    // Filters are folded away where they would push the hits out of sight.
    expect(await page.getByRole('group', { name: 'Kind' }).isVisible()).toBe(false)
    await page.getByText('Filters').click()
    await page.getByRole('group', { name: 'Kind' }).waitFor()
    await visit.screenshot('narrow')
    await page.goto('/console/start')
    await page.getByText('npx daybook mcp install').first().waitFor()
    expect(await overflow(page)).toBe(0)
    await page.setViewportSize({ width: 3840, height: 2160 })
    await page.goto('/?q=token')
    await page.locator('[data-answers="token"]').waitFor()
    expect(await overflow(page)).toBe(0)
    await visit.screenshot('4k')
    await visit.end()
  })

  test('the navigation is one row at 390 px, and a side bar on a wide screen', async () => {
    const visit = await suite.visitAs(await suite.newAdmin(), {
      width: 390,
      height: 844,
      path: '/console/undo',
    })
    const { page } = visit
    const header = page.getByRole('banner')
    const pages = page.getByRole('navigation', { name: 'Pages' })
    const menu = page.getByRole('button', { name: /^Menu/u })
    await page.getByRole('heading', { level: 1, name: 'Undo', exact: true }).waitFor()
    await expect.poll(async () => (await header.boundingBox())!.height).toBeLessThanOrEqual(56)
    expect(await overflow(page)).toBe(0)
    await expect.poll(() => pages.isVisible()).toBe(false)
    await menu.click()
    await visit.screenshot('menu')
    expect(await findingsInBothThemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => pages.isVisible()).toBe(false)
    await expect.poll(() => menu.evaluate((button) => button === document.activeElement)).toBe(true)
    await menu.click()
    await pages.waitFor()
    // It heeds clicks beside it from the next frame on.
    await expect
      .poll(async () => {
        await page.mouse.click(200, 840)
        return pages.isVisible()
      })
      .toBe(false)
    await menu.click()
    await pages.getByRole('link', { name: 'Keys and projects' }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys and projects', exact: true }).waitFor()
    await expect.poll(() => pages.isVisible()).toBe(false)
    // The longest name of a page makes no second row.
    await expect.poll(async () => (await header.boundingBox())!.height).toBeLessThanOrEqual(56)

    await page.setViewportSize({ width: 1100, height: 800 })
    await expect.poll(() => menu.isVisible()).toBe(false)
    const bar = (await header.boundingBox())!
    expect(bar).toMatchObject({ x: 0, y: 0, height: 800 })
    await expect.poll(async () => (await page.getByRole('main').boundingBox())!.x).toBe(bar.width)
    const operators = pages.getByRole('group', { name: 'Operation' }).getByRole('link')
    await expect.poll(() => operators.allTextContents()).toEqual(['Operations', 'Sync', 'Keys and projects'])
    await expect
      .poll(async () => (await pages.getByRole('link').allTextContents()).slice(0, 6))
      .toEqual(['Search', 'Journal', 'Review', 'Map', 'Growth', 'Undo'])
    await page.goto('/console/keys')
    await page.getByRole('button', { name: 'Create a key …' }).waitFor()
    expect(await overflow(page)).toBe(0)
    await visit.screenshot('side-bar')
    await visit.end()
  })

  test('? shows the keys, and Ctrl+K goes to a page, a memory, or a new one', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(tenant, { path: '/console/journal' })
    const { page } = visit
    const keys = page.getByRole('dialog', { name: 'Keys' })
    const goTo = page.getByRole('dialog', { name: 'Go to' })
    const field = goTo.getByRole('combobox')
    const entries = goTo.getByRole('option')
    await page.getByRole('heading', { level: 1, name: 'Journal', exact: true }).waitFor()
    await page.keyboard.press('?')
    await keys.getByText('go to a page or a memory, or add one').waitFor()
    expect(await findingsInBothThemes(page)).toEqual([])
    await visit.screenshot('keys')
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    await expect.poll(() => goTo.count()).toBe(0)

    // A page, by a part of its name; those that the key may not open are not there.
    await page.getByRole('button', { name: 'Go to …' }).click()
    await field.fill('o')
    await expect.poll(async () => (await entries.allTextContents()).join()).not.toContain('Operations')
    await page.keyboard.press('Escape')
    await goTo.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Go to …')
    await page.keyboard.press('Control+k')
    await field.fill('grow')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Growth', exact: true }).waitFor()

    // A memory.
    await page.keyboard.press('Control+k')
    await field.pressSequentially('expiration?', { delay: 20 })
    await entries.getByText('jwt-validation').waitFor()
    await expect.poll(() => keys.count()).toBe(0)
    expect(await findingsInBothThemes(page)).toEqual([])
    await visit.screenshot('go-to')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'jwt-validation' }).waitFor()

    // What was typed becomes a new one. In a field, letters are letters.
    await page.goto('/')
    await page.getByLabel('Search the memories').pressSequentially('?')
    await expect.poll(() => keys.count()).toBe(0)
    await page.keyboard.press('Control+k')
    await field.fill('remember me')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    const add = page.getByRole('dialog', { name: 'Add a memory' })
    await expect.poll(() => add.getByLabel('Text', { exact: true }).inputValue()).toBe('remember me')
    await visit.end()
  })

  test('everything with the keyboard alone', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember(REMEMBERED)
    const visit = await suite.visitAs(tenant, { width: 1000 })
    const { page } = visit
    await page.getByText('4 memories, the newest first').waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    await page.keyboard.press('Tab')
    expect(await focused()).toContain('Skip to the content')
    await page.keyboard.press('/')
    await page.keyboard.type('token expiration')
    await page.locator('[data-answers="token expiration"]').waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe('jwt-validation')
    expect(await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle)).toBe(
      'solid',
    )
    await page.keyboard.press('Enter')
    await page.locator('.hit-text').getByText('Always validate').waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.locator('.score-why:visible').waitFor()
    await visit.screenshot('keyboard')
    await page.keyboard.press('Escape')
    await page.locator('.score-why:visible').waitFor({ state: 'hidden' })
    await page.keyboard.press('ArrowUp')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('query')
    await visit.end()
  })

  test('screen readers: axe finds nothing serious, and answers are announced', async () => {
    const tenant = await suite.newTenant()
    const visit = await suite.visit()
    const { page } = visit
    await page.goto('/')
    await page.getByLabel('Or paste an API key').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.getByLabel('Or paste an API key').fill(tenant.key)
    await page.keyboard.press('Enter')
    await page.getByText('npx daybook mcp install').first().waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await tenant.remember(REMEMBERED)
    await page.goto('/?q=token&compare=1&b.mode=KEYWORD')
    await page.locator('[data-answers="token"]').nth(1).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    expect(await page.getByRole('status').allTextContents()).toContainEqual(
      expect.stringMatching(/hits from Postgres in [\d,]+ ms/u),
    )
    await page.goto('/?q=token')
    await page.getByRole('button', { name: /why was "jwt-validation" found/u }).focus()
    await page.locator('.score-why:visible').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await visit.screenshot('axe')
    await visit.end()
  })
}
