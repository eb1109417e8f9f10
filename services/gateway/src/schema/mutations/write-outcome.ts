import type { Appended } from '@daybook/journal/append/append-request'
import { builder } from '../builder.ts'
import type { written } from './written.ts'

const writeOutcome = builder.enumType('WriteOutcome', {
  description: 'What remembering came to.',
  values: {
    REMEMBERED: { description: 'A new memory.' },
    REVISED: { description: 'The same thing was remembered already, and has a new version.' },
    RESTORED: { description: 'A forgotten document came back, as it is given now.' },
    UNCHANGED: { description: 'The same thing was remembered already, just so. Nothing was written.' },
  } as const,
})

/** Adds the field `outcome` to the result of remembering. */
export function addOutcome(remembered: ReturnType<typeof written>): void {
  builder.objectField(remembered, 'outcome', (t) =>
    t.field({
      type: writeOutcome,
      description: 'What it came to. For a repeated request (duplicate), what the first one came to.',
      resolve: (appended) => outcomeOf(appended),
    }),
  )
}

function outcomeOf({ memory, written, duplicate }: Appended) {
  if (duplicate) return memory.version === 1 ? 'REMEMBERED' : 'REVISED'
  switch (written) {
    case null:
      return 'UNCHANGED'
    case 'MemoryRemembered':
      return 'REMEMBERED'
    case 'MemoryRestored':
      return 'RESTORED'
    default:
      return 'REVISED'
  }
}
