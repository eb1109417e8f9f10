import { readdirSync, readFileSync } from 'node:fs'
import { ERASED_EVENT, EVENT_TYPES, type EventType } from '@daybook/memory/events'
import { expect, test } from 'vitest'

/* The functions of the database name event types in SQL, where no compiler looks. */

/** Whether a memory is there after an event of the type. A new type must say it. */
const LEAVES_A_MEMORY = {
  MemoryRemembered: true,
  MemoryRevised: true,
  MemoryRestored: true,
  MemoryForgotten: false,
  MemoryExpired: false,
} satisfies Record<EventType, boolean>

const folder = new URL('baseline/', import.meta.url)
const sql = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n')

test('every event type that the database names is one', () => {
  const named = new Set(
    [...sql.matchAll(/'(Memory(?:[A-Z][a-z]+ed|[A-Z][a-z]+))'/gu)].map(([, name]) => name),
  )
  expect(named.size).toBeGreaterThan(2)
  expect([...named].filter((name) => ![...EVENT_TYPES, ERASED_EVENT].includes(name as EventType))).toEqual([])
})

test('a memory is not there after the same types as in the domain', () => {
  const gone = EVENT_TYPES.filter((type) => !LEAVES_A_MEMORY[type]).toSorted()
  const lists = [...sql.matchAll(/type (?:not )?in \(([^)]*'Memory[^)]*)\)/gu)].map(([, list = '']) =>
    [...list.matchAll(/'(\w+)'/gu)]
      .map(([, name = '']) => name)
      .filter((name) => name !== ERASED_EVENT)
      .toSorted(),
  )
  expect(lists.length).toBeGreaterThan(3)
  for (const list of lists) expect(list).toEqual(gone)
})
