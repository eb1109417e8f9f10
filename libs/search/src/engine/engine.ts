/** Where the retrievers of a search run. */
export type SearchEngine = 'POSTGRES' | 'TYPESENSE'

/**
 * What may be asked for. `AUTO` takes Typesense where it is configured, answers and is not behind; else Postgres. `TYPESENSE`
 * takes it even where it is behind, and Postgres where it does not answer.
 */
export type EngineWanted = SearchEngine | 'AUTO'
