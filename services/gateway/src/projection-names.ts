import { ENGINES } from '@daybook/engines/engines'

/** The projections there are. */
export const PROJECTIONS: readonly string[] = ENGINES.map(({ name }) => name)
