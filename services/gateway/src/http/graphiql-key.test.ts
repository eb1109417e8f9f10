import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { renderOfflineGraphiQL } from './graphiql.ts'
import { KEY_FORM, OFFER_KEY, TAKE_KEY } from './graphiql-key.ts'

/** As much of a tab as the page's scripts need. */
function openTab(hash = '', storage = new Map<string, string>()) {
  const sent: { target: string; authorization: string | null }[] = []
  let address = `/graphql${hash}`
  let reloads = 0
  let submit: (event: object) => void = () => undefined
  const field = { value: '', placeholder: '' }
  const use = { textContent: 'Use' }
  const window = {
    fetch: (target: string, { headers }: { headers: Headers }) =>
      sent.push({ target, authorization: headers.get('authorization') }),
  }
  const page = {
    window,
    URL,
    URLSearchParams,
    Headers,
    location: {
      hash,
      pathname: '/graphql',
      search: '',
      href: 'http://localhost:4000/graphql',
      origin: 'http://localhost:4000',
      reload: () => (reloads += 1),
    },
    history: { replaceState: (_: null, __: string, to: string) => (address = to) },
    sessionStorage: {
      getItem: (name: string) => storage.get(name) ?? null,
      setItem: (name: string, value: string) => storage.set(name, value),
      removeItem: (name: string) => storage.delete(name),
    },
    document: {
      getElementById: (id: string) =>
        id === 'daybook-key'
          ? {
              elements: { key: field, use },
              addEventListener: (_: string, then: typeof submit) => (submit = then),
            }
          : null,
    },
  }
  // As in a page: each script has names of its own, which the next does not define again.
  runInNewContext(`{${TAKE_KEY}}\n{${OFFER_KEY}}`, page)
  return {
    storage,
    field,
    use,
    sent,
    fetch: window.fetch as unknown as (target: string, options?: object) => void,
    paste(key: string) {
      field.value = key
      submit({ preventDefault: () => undefined })
    },
    reloads: () => reloads,
    address: () => address,
  }
}

describe('the key of GraphiQL', () => {
  it('is pasted into the page, kept in the tab, and sent with its requests', () => {
    const tab = openTab()
    tab.fetch('/graphql')
    tab.paste('  dbk_pasted\n')
    expect(tab.storage).toEqual(new Map([['daybook-key', 'dbk_pasted']]))
    expect(tab.reloads()).toBe(1)
    const again = openTab('', tab.storage)
    again.fetch('/graphql', { headers: { 'content-type': 'application/json' } })
    expect([...tab.sent, ...again.sent].map(({ authorization }) => authorization)).toEqual([
      null,
      'Bearer dbk_pasted',
    ])
    expect(again.field).toEqual({ value: '', placeholder: expect.stringContaining('A key is set') as string })
  })

  it('is forgotten where the field is left empty', () => {
    const tab = openTab('', new Map([['daybook-key', 'dbk_old']]))
    tab.paste(' ')
    expect(tab.storage.size).toBe(0)
  })

  it('is taken out of the address, and goes to no other server, and not before a key that was written by hand', () => {
    const tab = openTab('#key=dbk_given')
    expect(tab.address()).toBe('/graphql')
    tab.fetch('https://example.org/graphql')
    tab.fetch('/graphql', { headers: { authorization: 'Bearer dbk_own' } })
    tab.fetch('/graphql')
    expect(tab.sent.map(({ authorization }) => authorization)).toEqual([
      null,
      'Bearer dbk_own',
      'Bearer dbk_given',
    ])
  })

  it('has its field above GraphiQL, with the place where a key is', async () => {
    const page = await renderOfflineGraphiQL()
    const [form, root] = [page.indexOf('<form id="daybook-key"'), page.indexOf('<div id="root">')]
    expect(form).toBeGreaterThan(0)
    expect(root).toBeGreaterThan(form)
    expect(page.indexOf(OFFER_KEY)).toBeGreaterThan(form)
    expect(page.indexOf(TAKE_KEY)).toBeLessThan(form)
    expect(KEY_FORM).toContain('&lt;data folder&gt;/api-key')
  })
})
