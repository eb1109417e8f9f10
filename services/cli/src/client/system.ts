import { RefusedError } from '../cli-error.ts'
import type { Connection } from '../settings.ts'
import { GENERATION_FIELDS, type Generation } from './generations.ts'
import { OPERATION_FIELDS, type Operation } from './operations.ts'
import { request } from './request.ts'

/** Something that Daybook works with. */
export interface SystemPart {
  readonly name: string
  readonly configured: boolean
  readonly reachable: boolean
  readonly version: string | null
  readonly problem: string | null
}

/** A Daybook as a whole, over all projects. */
export interface SystemState {
  readonly system: {
    readonly projects: number
    readonly events: number
    readonly memories: number
    readonly databaseBytes: number
    readonly queuedTexts: number
    readonly failedTexts: number
    readonly parts: readonly SystemPart[]
  }
  readonly generations: readonly Generation[]
  /** Those under way. */
  readonly operations: readonly Operation[]
}

/** Null for a key that may see its own project only. */
export async function readSystem(connection: Connection): Promise<SystemState | null> {
  const query = `query System {
    system {
      projects events memories databaseBytes queuedTexts failedTexts
      parts { name configured reachable version problem }
    }
    generations { ${GENERATION_FIELDS} }
    operations(active: true) { ${OPERATION_FIELDS} }
  }`
  try {
    return await request<SystemState>(connection, query)
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'FORBIDDEN') return null
    throw error
  }
}
