/** Where candidates are found that no other engine is asked for: every Daybook has it. */
export const POSTGRES = 'POSTGRES'

/** Where the retrievers of a search run: `POSTGRES`, or another engine's name in capitals, such as `TYPESENSE`. */
export type EngineName = string

/**
 * What may be asked for. `AUTO` takes the first engine beside Postgres that is configured, answers and is not behind; else
 * Postgres. An engine's name takes it even where it is behind, and Postgres where it does not answer.
 */
export type EngineWanted = EngineName | 'AUTO'

/** An engine's name as the API has it. @param name its projection's: `typesense` */
export const engineName = (name: string): EngineName => name.toUpperCase()
