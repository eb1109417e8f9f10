import { expect, test } from 'vitest'
import type { Session } from '../api/session.ts'

import { type Page, whyClosed } from './page.ts'

const page = (needs: Partial<Page>): Page => ({
  path: '/console/x',
  title: 'X',
  load: () => Promise.reject(new Error('not loaded')),
  ...needs,
})

const session = (scopes: Session['scopes'], wholeDaybook = false): Session => ({
  key: 'agent',
  scopes,
  wholeDaybook,
  projects: [],
  expiresAt: '2030-01-01T00:00:00Z',
})

test('a page opens for the keys that it is for', () => {
  const [all, admins, daybook] = [page({}), page({ forAdmins: true }), page({ forDaybookAdmins: true })]
  const open = (one: Session) => [all, admins, daybook].map((each) => whyClosed(each, one) === null)
  expect(open(session(['read', 'write']))).toEqual([true, false, false])
  expect(open(session(['read', 'admin']))).toEqual([true, true, false])
  expect(open(session(['read', 'write', 'admin'], true))).toEqual([true, true, true])
})

test('the reason names what the key has, and what to do', () => {
  expect(whyClosed(page({ forDaybookAdmins: true }), session(['read', 'admin']))).toMatch(
    /^"X" needs a key with the scope ADMIN of all projects, .* the key "agent" has READ and ADMIN of its own projects\. .*api-key/u,
  )
  expect(whyClosed(page({ forAdmins: true }), session(['read']))).toMatch(/has READ\. .*--scope admin/u)
})
