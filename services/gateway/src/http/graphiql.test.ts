import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { KEY_FORM, loadGraphiQL, OFFER_KEY, TAKE_KEY } from './graphiql.ts'

/** As much of a tab as the page's scripts need. */
function openTab(hash = '', storage = new Map<string, string>(), exchanged: object = {}) {
  const sent: { target: string; authorization: string | null }[] = []
  const codes: string[] = []
  let address = `/graphql${hash}`
  let reloads = 0
  let submit: (event: object) => void = () => undefined
  const field = { value: '', placeholder: '' }
  const use = { textContent: 'Use' }
  const window = {
    fetch: async (target: string, { headers, body }: { headers: Headers; body?: string }) => {
      if (target === '/graphql/key') {
        codes.push(body ?? '')
        return { json: async () => exchanged }
      }
      return sent.push({ target, authorization: headers.get('authorization') })
    },
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
    codes,
    fetch: window.fetch as unknown as (target: string, options?: object) => Promise<void>,
    paste(key: string) {
      field.value = key
      submit({ preventDefault: () => undefined })
    },
    reloads: () => reloads,
    address: () => address,
  }
}

describe('the key of GraphiQL', () => {
  it('is pasted into the page, kept in the tab, and sent with its requests', async () => {
    const tab = openTab()
    await tab.fetch('/graphql')
    tab.paste('  dbk_pasted\n')
    expect(tab.storage).toEqual(new Map([['daybook-key', 'dbk_pasted']]))
    expect(tab.reloads()).toBe(1)
    const again = openTab('', tab.storage)
    await again.fetch('/graphql', { headers: { 'content-type': 'application/json' } })
    expect([...tab.sent, ...again.sent].map(({ authorization }) => authorization)).toEqual([
      null,
      'Bearer dbk_pasted',
    ])
    expect(again.field).toEqual({ value: '', placeholder: expect.stringContaining('A key is set') as string })
    expect([...tab.codes, ...again.codes]).toEqual([])
  })

  it('is forgotten where the field is left empty', () => {
    const tab = openTab('', new Map([['daybook-key', 'dbk_old']]))
    tab.paste(' ')
    expect(tab.storage.size).toBe(0)
  })

  it('is got for the code in the address, before the first request, and goes to no other server', async () => {
    const tab = openTab('#code=once', new Map(), { key: 'dbk_given' })
    expect(tab.address()).toBe('/graphql')
    await tab.fetch('https://example.org/graphql')
    await tab.fetch('/graphql', { headers: { authorization: 'Bearer dbk_own' } })
    await tab.fetch('/graphql')
    expect(tab.codes).toEqual(['{"code":"once"}'])
    expect(tab.sent.map(({ authorization }) => authorization)).toEqual([
      null,
      'Bearer dbk_own',
      'Bearer dbk_given',
    ])
  })

  it('is not taken from the address itself, and a code that does not work is said', async () => {
    const tab = openTab('#key=dbk_given&code=used', new Map(), {
      errors: [{ message: 'This link was used' }],
    })
    await tab.fetch('/graphql')
    expect(tab.sent.map(({ authorization }) => authorization)).toEqual([null])
    expect(tab.storage.size).toBe(0)
    expect(tab.field.placeholder).toBe('This link was used')
  })

  it('has its field above GraphiQL, with the place where a key is', async () => {
    const { page, script, style } = await loadGraphiQL()
    const text = page({ nonce: 'n', script: '/s', style: '/t' })
    const [form, root] = [text.indexOf('<form id="daybook-key"'), text.indexOf('<div id="root">')]
    expect(form).toBeGreaterThan(0)
    expect(root).toBeGreaterThan(form)
    expect(text.indexOf(OFFER_KEY)).toBeGreaterThan(form)
    expect(text.indexOf(TAKE_KEY)).toBeLessThan(form)
    expect(text.indexOf('src="/s"')).toBeGreaterThan(root)
    expect(KEY_FORM).toContain('&lt;data folder&gt;/api-key')
    expect(script).toMatch(/renderYogaGraphiQL\([^]*\)/u)
    expect(style).not.toContain('<')
  })
})
