import type { Trust } from '@daybook/memory/trust'
import type { Writer } from '@daybook/memory/writer'
import { builder } from '../builder.ts'
import { enumOfWords } from './enum-of-words.ts'

/** The enum of levels of trust, the least first. */
export const trustLevel = enumOfWords<Trust>(
  'TrustLevel',
  {
    low: 'Takes in what others say: web pages, mails, issues of strangers.',
    normal:
      'An agent at work. Also keys to which nobody gave a level, and writers that this Daybook does not know.',
    high: 'People, and what they have checked.',
  },
  'How far a key is trusted. What it wrote is trusted as the key is now, not as it was then.',
)

/** The type `Writer`. */
export const writer = builder.objectRef<Writer>('Writer')

builder.objectType(writer, {
  description: 'Who wrote. Only the key is proven: agent and client are what the caller says of itself.',
  fields: (t) => ({
    keyId: t.id({ resolve: ({ key }) => key, description: 'The id of the API key.' }),
    agent: t.string({
      nullable: true,
      resolve: ({ agent }) => agent ?? null,
      description: 'The header X-Daybook-Agent, else the agent that the memory was given.',
    }),
    client: t.string({
      nullable: true,
      resolve: ({ client }) => client ?? null,
      description: 'The header X-Daybook-Client, else User-Agent.',
    }),
    trust: t.field({
      type: trustLevel,
      resolve: ({ key }, _, context) => context.keyTrust.load(key),
      description: 'How far the key is trusted now.',
    }),
  }),
})
