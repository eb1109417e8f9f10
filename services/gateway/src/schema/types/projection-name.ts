import { PROJECTIONS } from '../../projection-names.ts'
import { enumOfWords } from './enum-of-words.ts'

/** Its values are texts to the libraries, to which a projection is a row. */
export const projectionName = enumOfWords<string>('ProjectionName', PROJECTIONS)
