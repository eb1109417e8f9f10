import { graphql, type ResultOf } from '@daybook/api/graphql'
import { RefusedError } from '../cli-error.ts'
import type { Connection } from '../settings.ts'
import { GENERATION } from './generations.ts'
import { OPERATION } from './operations.ts'
import { request } from './request.ts'

const SYSTEM = graphql(
  `query System {
    system {
      projects events memories databaseBytes queuedTexts failedTexts
      parts { name configured reachable version problem }
    }
    generations { ...Generation }
    operations(active: true) { ...Operation }
  }`,
  [GENERATION, OPERATION],
)

/** A Daybook as a whole, over all projects, with the operations under way. */
export type SystemState = ResultOf<typeof SYSTEM>

/** A part that Daybook works with, such as its database. */
export type SystemPart = SystemState['system']['parts'][number]

/** Reads the state of the whole Daybook. @returns null for a key that may see its own project only */
export async function readSystem(connection: Connection): Promise<SystemState | null> {
  try {
    return await request(connection, SYSTEM, {})
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'FORBIDDEN') return null
    throw error
  }
}
