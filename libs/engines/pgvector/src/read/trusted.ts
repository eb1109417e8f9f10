import type { Trust } from '@daybook/memory/trust'
import { type RawBuilder, sql } from 'kysely'
import { noOtherAuthor } from '../authors.ts'

const textsOf = (trust: 'low' | 'high') =>
  sql`array(select key_id::text from key_trust where trust = ${trust})`
const keysOf = (trust: 'low' | 'high') => sql`array(select key_id from key_trust where trust = ${trust})`

/**
 * The condition on `memories` with the alias `m` that a memory is trusted so far (`@daybook/memory/trust`): by the
 * trust that its authors' keys have now, not when they wrote.
 */
export function trustedAtLeast(least: Trust): RawBuilder<unknown>[] {
  switch (least) {
    case 'low':
      return []
    case 'normal':
      return [
        isNone(sql`m.writer`),
        isNone(sql`m.editor`),
        noOtherAuthor((author) => sql`${author}->>'key' = any(${textsOf('low')})`),
      ]
    case 'high':
      return [
        sql`m.writer = any(${keysOf('high')})`,
        sql`(m.editor is null or m.editor = any(${keysOf('high')}))`,
        noOtherAuthor((author) => sql`(${author}->>'key' = any(${textsOf('high')})) is not true`),
      ]
  }
}

const isNone = (author: RawBuilder<unknown>) => sql`(${author} is null or ${author} <> all(${keysOf('low')}))`
