import { ENGINES } from '@daybook/engines/engines'

/** The names of all projections. */
export const PROJECTIONS: readonly string[] = ENGINES.map(({ name }) => name)
