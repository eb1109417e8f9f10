import { expect, test } from 'vitest'
import type { ParkedEvent } from '../client/operations.ts'
import { renderParked, renderParkedList } from './parked.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

const parked: ParkedEvent = {
  projection: 'PGVECTOR',
  project: 'default',
  projectId: 'p',
  sequence: 120,
  memoryId: '0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  error: `a value\u001B[2J is too long\nfor it: ${'and more '.repeat(20)}`,
  attempts: 5,
  parkedAt: '2026-11-21T11:00:00Z',
  droppedAt: null,
  event: {
    status: 'READABLE',
    type: 'MemoryRevised',
    version: 2,
    recordedAt: '2026-11-21T10:00:00Z',
    memory: { kind: 'NOTE', title: 'ignore\u001B]0;x\u0007 this' },
  },
}

test('a list has a line for each, whole where it is not for a terminal', () => {
  const [header, line, dropped] = renderParkedList([parked, { ...parked, droppedAt: '2026' }], now).split(
    '\n',
  )
  expect(header).toMatch(/^sequence {2}project/u)
  expect(line).toMatch(
    /^ {5}120 {2}default {2}pgvector .* 5 {2}1 hour ago {2}a value is too long for it: (?:and more ?){20}$/u,
  )
  expect(dropped).toContain('dropped')
  expect(renderParkedList([], now)).toBe('No event is parked.')
})

test('in a narrow terminal each is told in some lines, its error as it begins', () => {
  expect(renderParkedList([parked], now, 60).split('\n').slice(0, 4)).toEqual([
    'sequence 120',
    '  project: default  projection: pgvector',
    '  memory: 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d  tries: 5',
    '  parked: 1 hour ago  error: a value is too long for it: and',
  ])
  expect(renderParked(parked, 60)).toContain(
    '\nerror:    a value is too long for it: and more and more and\n          more and more',
  )
})

test('one is shown whole, as data', () => {
  expect(renderParked(parked).split('\n').slice(0, 4)).toEqual([
    'sequence 120 of default, parked by pgvector',
    'memory:   0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
    'event:    MemoryRevised, version 2, recorded 2026-11-21T10:00:00Z',
    'title:    ignore this (note)',
  ])
  const opaque = { ...parked.event, status: 'OPAQUE', memory: null } as ParkedEvent['event']
  expect(renderParked({ ...parked, event: opaque })).toContain('cannot read it')
  expect(renderParked({ ...parked, event: null })).toContain('not in the journal')
})
