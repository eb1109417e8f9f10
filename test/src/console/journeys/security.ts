import { expect, test } from 'vitest'
import type { ConsoleSuite } from '../support/console-suite.ts'
import { serveForeignPage } from '../support/foreign-page.ts'

const FORGED = 'mutation { remember(input: { content: { note: { text: "forged" } } }) { __typename } }'

/** What other pages, and what a memory that got into the page, cannot do. */
export function securityJourneys(suite: ConsoleSuite): void {
  test('a page of another origin can do nothing with the session, not even on the same host', async () => {
    const tenant = await suite.newTenant()
    const visit = await suite.visitAs(tenant)
    const foreign = await serveForeignPage()
    const page = await visit.context.newPage()
    try {
      await page.goto(foreign.url)
      const tried = await page.evaluate(
        async ([url, query]) => {
          const body = JSON.stringify({ query })
          const send = (init: RequestInit) =>
            fetch(`${url}/graphql`, { method: 'POST', credentials: 'include', body, ...init }).then(
              ({ status, type }) => `${type} ${status}`,
              () => 'refused',
            )
          const socket = new Promise<string>((resolve) => {
            const opened = new WebSocket(`${url?.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
            opened.addEventListener('open', () => resolve('open'))
            opened.addEventListener('error', () => resolve('refused'))
          })
          return {
            json: await send({ headers: { 'content-type': 'application/json' } }),
            header: await send({ headers: { 'content-type': 'application/json', 'x-daybook-console': '1' } }),
            plain: await send({ mode: 'no-cors' }),
            socket: await socket,
          }
        },
        [suite.url, FORGED] as const,
      )
      expect(tried).toEqual({ json: 'refused', header: 'refused', plain: 'refused', socket: 'refused' })
      // A form needs no permission to be sent; the answer is the refusal.
      await page.evaluate((url) => {
        const form = document.createElement('form')
        Object.assign(form, { method: 'POST', action: `${url}/graphql`, enctype: 'text/plain' })
        document.body.append(form)
        form.submit()
      }, suite.url)
      await page.waitForURL(`${suite.url}/graphql`)
      expect(await page.textContent('body')).toContain('ORIGIN_NOT_ALLOWED')
      await page.screenshot()
    } finally {
      foreign.close()
    }
    expect((await tenant.ask('{ facets { memories } }')).facets.memories).toBe(0)
    await visit.screenshot('csrf-refused')
    await visit.end()
  })

  test('nothing runs in the page that the gateway did not send', async () => {
    const tenant = await suite.newTenant()
    const visit = await suite.visitAs(tenant)
    const { page } = visit
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script')
      script.append('document.title = "inline script"')
      const image = document.createElement('img')
      const tries = [
        () => document.body.append(script),
        () => image.setAttribute('onerror', 'document.title = "handler"'),
        () => document.body.insertAdjacentHTML('beforeend', '<b>markup</b>'),
        // oxlint-disable-next-line no-implied-eval -- that is what is tried
        () => new Function('document.title = "code"')(),
      ]
      const run = (attempt: () => unknown) => {
        try {
          attempt()
          return 'done'
        } catch {
          return 'refused'
        }
      }
      // In a timer of the page's own: what the debugger evaluates may itself make code.
      const results = await new Promise((resolve) => setTimeout(() => resolve(tries.map(run))))
      const sent = await fetch('https://example.com/').then(
        () => 'sent',
        () => 'refused',
      )
      await new Promise((resolve) => setTimeout(resolve, 100))
      return { results, sent, title: document.title, markup: document.querySelectorAll('b').length }
    })
    expect(ran).toEqual({
      // The element is there, but it has not run: the title is as before.
      results: ['done', 'refused', 'refused', 'refused'],
      sent: 'refused',
      title: 'Search · Daybook',
      markup: 0,
    })
    // The policy noticed each; else "no journey broke the policy" would mean nothing.
    await expect.poll(() => visit.takeComplaints().length).toBeGreaterThanOrEqual(3)
    await visit.screenshot('policy')
    await visit.end()
  })

  test('a revoked key ends its session: the page says so and offers the login', async () => {
    const tenant = await suite.newTenant()
    await tenant.remember([{ content: { note: { text: 'soon out of reach' } } }])
    const visit = await suite.visitAs(tenant)
    const { page } = visit
    await page.getByText('1 memory, the newest first').waitFor()
    await suite.askAsAdmin('mutation ($id: ID!) { revokeKey(id: $id) { __typename } }', { id: tenant.keyId })
    const over = page.getByText('Your session is over: log in again.').waitFor()
    // The page may have noticed by itself, and have no search any more.
    await Promise.race([
      over,
      page
        .getByRole('searchbox')
        .fill('reach')
        .catch(() => {}),
    ])
    await over
    expect(await page.getByText('soon out of reach').count()).toBe(0)
    await visit.screenshot('session-over')
    await visit.end()
  })
}
