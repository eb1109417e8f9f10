import { expect, test } from 'vitest'
import type { ConsoleSuite } from '../support/console-suite.ts'

/** How people get in, and who does not. */
export function loginJourneys(suite: ConsoleSuite): void {
  test('a login link works once, and leaves its token nowhere', async () => {
    const tenant = await suite.newTenant()
    const { createLoginLink } = await tenant.ask('mutation { createLoginLink { path expiresAt } }')
    const visit = await suite.visit()
    await visit.page.goto(createLoginLink.path)
    await visit.page.getByRole('button', { name: 'Log out' }).waitFor()
    expect(new URL(visit.page.url()).hash).toBe('')
    const [cookie, ...others] = await visit.context.cookies()
    expect(others).toEqual([])
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
    expect(
      await visit.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage })),
    ).not.toMatch(/dbk_|token/u)
    await visit.screenshot('login-link')

    const second = await suite.visit()
    await second.page.goto(createLoginLink.path)
    await second.page.getByText('This login link was used already').waitFor()
    await second.screenshot('login-link-used')
    await second.end()

    await visit.page.getByRole('button', { name: 'Log out' }).click()
    await visit.page.getByLabel('Or paste an API key').waitFor()
    await visit.page.goto('/')
    await visit.page.getByLabel('Or paste an API key').waitFor()
    await visit.end()
    const { value } = cookie as { value: string }
    expect(suite.daemon.log(1_000_000)).not.toContain(value)
    expect(suite.daemon.log(1_000_000)).not.toContain(createLoginLink.path.split('=')[1])
  })

  test('a wrong key is refused in words, a right one lets in', async () => {
    const tenant = await suite.newTenant()
    const visit = await suite.visit()
    await visit.page.goto('/')
    const field = visit.page.getByLabel('Or paste an API key')
    await field.fill(`${tenant.key.slice(0, -1)}${tenant.key.endsWith('a') ? 'b' : 'a'}`)
    await visit.page.getByRole('button', { name: 'Log in' }).click()
    await visit.page.getByText('This API key is mistyped').waitFor()
    await visit.screenshot('wrong-key')
    await field.fill(tenant.key)
    await visit.page.getByRole('button', { name: 'Log in' }).click()
    await visit.page.getByRole('button', { name: 'Log out' }).waitFor()
    expect(await visit.page.locator('header').textContent()).toContain(tenant.project)
    await visit.end()
  })
}
