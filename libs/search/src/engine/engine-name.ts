/** The engine that every Daybook has, and that searches use if there is no other. */
export const POSTGRES = 'POSTGRES'

/**
 * The engine on which the retrievers of a search run: `POSTGRES`, or another engine's name in capitals, such
 * as `TYPESENSE`.
 */
export type EngineName = string

/**
 * The engines that a search may ask for. `AUTO` uses the first engine beside Postgres that is configured,
 * available and not behind, or else Postgres. An engine's name uses it even if it is behind, and Postgres
 * only if it does not answer.
 */
export type EngineWanted = EngineName | 'AUTO'

/** An engine's name in the API: `IN_MEMORY`. @param projection its projection's name: `in-memory` */
export const engineName = (projection: string): EngineName => projection.toUpperCase().replaceAll('-', '_')

/** The name of an engine's projection: the reverse of `engineName`. */
export const projectionOf = (engine: EngineName): string => engine.toLowerCase().replaceAll('_', '-')
