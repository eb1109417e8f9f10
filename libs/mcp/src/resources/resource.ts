import type { Session } from '../session.ts'

/** A list of memories under an address that stays the same. */
export interface ResourceDefinition {
  readonly name: string
  readonly uri: string
  readonly title: string
  readonly description: string
  /** The text for the model. @throws ApiError */
  read(session: Session): Promise<string>
}

/** The address of one memory. */
export const MEMORY_URI = 'daybook://memory/'

/** The address of a memory by its id. */
export const memoryUri = (id: string): string => `${MEMORY_URI}${encodeURIComponent(id)}`
