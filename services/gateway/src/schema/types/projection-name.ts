import { PROJECTIONS } from '../../projection-names.ts'
import { enumOfWords } from './enum-of-words.ts'

/**
 * The enum of projections. Its values are plain strings, because the libraries do not fix the set of
 * projections.
 */
export const projectionName = enumOfWords<string>('ProjectionName', PROJECTIONS)
