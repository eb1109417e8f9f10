import type { JudgedMemory } from '../collection.ts'
import type { PeerMemory } from './peer.ts'

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/**
 * A memory as plain text: all texts of its content, a line each, and the day it is about, as in "8 May 2023".
 * Without the day, peers could not answer questions about time, for which Daybook has a field.
 */
export function toPeerMemory({ id, input }: JudgedMemory): PeerMemory {
  const at = input['occurredAt']
  const lines = [...texts(input['content']), ...(typeof at === 'string' ? [DAY.format(new Date(at))] : [])]
  return { id, input, text: lines.join('\n') }
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}
