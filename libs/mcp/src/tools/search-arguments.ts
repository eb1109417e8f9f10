import type { InputOf } from '@daybook/api/graphql'
import { KIND_NAMES } from '@daybook/memory/kinds/index'
import { z } from 'zod'

/** Arguments that several tools have in common. */

const names = z.array(z.string()).optional()
const time = z.string().optional().describe('RFC 3339')

/** A kind of memory, in small letters. */
export const kind = z.enum(KIND_NAMES as [string, ...string[]])

/** How many hits at most. */
export const limit = (usual: number) => z.int().min(1).max(100).default(usual)

/** The id of a memory. */
export const id = z.string()

/** Where to look. */
export const context = z.string().optional().describe('namespace, such as a repository')

/** The arguments that narrow a search, by their names in `MemoryFilter`. A new one is an entry here. */
export const FILTER = {
  kinds: z.array(kind).optional(),
  labelsAny: names,
  labelsAll: names,
  categories: names,
  minImportance: z.int().min(0).max(10).optional(),
  minTrust: z.enum(['LOW', 'NORMAL', 'HIGH']).optional(),
  context,
  agent: z.string().optional(),
  createdAfter: time,
  createdBefore: time,
  occurredAfter: time,
  occurredBefore: time,
  includeForgotten: z.boolean().optional(),
} satisfies Record<keyof InputOf<'MemoryFilter'>, z.ZodType>

/** The filter among a tool's arguments, as the API takes it. */
export function filterOf(given: Readonly<Record<string, unknown>>): InputOf<'MemoryFilter'> {
  const entries = Object.keys(FILTER).flatMap((name) =>
    given[name] === undefined
      ? []
      : [[name, name === 'kinds' ? apiKinds(given[name]) : given[name]] as const],
  )
  return Object.fromEntries(entries) as InputOf<'MemoryFilter'>
}

const apiKinds = (kinds: unknown) => (kinds as readonly string[]).map((one) => one.toUpperCase())
