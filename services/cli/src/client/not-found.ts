import { RefusedError } from '../cli-error.ts'

/** The error for an id that the project does not have, or did not have at a past moment. */
export const notFound = (id: string, asOf?: string) =>
  new RefusedError(
    'NOT_FOUND',
    `There ${asOf === undefined ? 'is' : `was at ${asOf}`} no memory "${id}" in the project of this API key`,
  )
