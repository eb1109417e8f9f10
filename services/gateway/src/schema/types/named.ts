import type { Named } from '@daybook/search/people/named'
import { builder } from '../builder.ts'
import { memoryInterface } from './memory.ts'

const named = (type: 'Person' | 'Interest', description: string, name: string) =>
  builder.objectRef<Named>(type).implement({
    description,
    fields: (t) => ({
      name: t.exposeString('name', { description: name }),
      summary: t.exposeString('summary', {
        description: 'What the memory says, as one line of at most 200 characters.',
      }),
      importance: t.exposeInt('importance', { description: 'Of the memory, 0 to 10.' }),
      memory: t.field({
        type: memoryInterface,
        resolve: (one) => one.memory,
        description: 'The most important memory about it; the newest of several.',
      }),
      memories: t.exposeInt('memories', { description: 'How many memories are about it.' }),
    }),
  })

/** The type `Person`. */
export const person = named(
  'Person',
  'Somebody whom memories are about.',
  'From a line "name: …" of the memory, or an entity’s name; else the first 50 characters.',
)

/** The type `Interest`. */
export const interest = named(
  'Interest',
  'Something that somebody likes to do.',
  'From a line "interest: …" or "hobby: …" of the memory; else the first 50 characters.',
)
