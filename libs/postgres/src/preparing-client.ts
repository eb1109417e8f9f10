import { randomBytes } from 'node:crypto'
import { Client, type ClientConfig, DatabaseError } from 'pg'
import { copyOut, isCopyOut } from './copy-out.ts'

/**
 * Uses of a statement on one connection before it is prepared: pgJDBC's `prepareThreshold`, for the same
 * reason.
 */
export const USES_BEFORE_PREPARED = 5
/** How many statements a connection keeps prepared, about: pgJDBC's `preparedStatementCacheQueries`. */
export const MOST_PREPARED = 256
/**
 * How many texts have their uses counted. The count starts over when it is full, because of texts that come
 * once, such as inserts of an odd number of rows.
 */
const MOST_COUNTED = 2_000

/**
 * Statements that are never prepared because they select `*`: the result changes with the tables, and then a
 * prepared statement fails ("cached plan must not change result type"). A migration under running services
 * would make it fail once on each connection.
 */
const SELECTS_ALL = /^\s*select (?:"?\w+"?\.)?\*|\breturning \*/u

/**
 * Never prepared either: whether the vector index suits a search depends on its limit and project, which a
 * generic plan cannot know.
 */
const MEASURES_DISTANCE = /<[=~]>/u

/** The plan no longer fits, or the server no longer has it. */
const NO_LONGER_PREPARED = new Set(['0A000', '26000'])

/**
 * A connection that prepares statements that it runs again and again. The server then parses them once. After
 * five more runs it also plans them once, if that is not slower. It saves a tenth of a server's processor time
 * per search, and a third of the embedded database's, where WebAssembly parses and plans.
 *
 * Prepared statements belong to a session, and the embedded database has one session for all connections in
 * turn. So names are not given twice, whoever was connected before; what was prepared then stays until that
 * session ends.
 */
export class PreparingClient extends Client {
  readonly #uses = new Map<string, number>()
  readonly #names = new Map<string, string>()
  readonly #prefix = `daybook_${randomBytes(6).toString('hex')}`
  #prepared = 0

  constructor(config?: string | ClientConfig) {
    super(config)
    // Another session may run the next transaction. PgBouncer hands on prepared statements since 1.21; Debian 12 has 1.18.
    const isPooled = typeof config === 'object' && 'pipeline' in config && config.pipeline === true
    // pg's declaration has many forms of `query`; Kysely calls the one with text and values.
    const ask = super.query.bind(this) as (...parts: unknown[]) => unknown
    const query = (...parts: unknown[]): unknown => {
      const [text, values] = parts
      if (parts.length !== 2 || typeof text !== 'string' || !Array.isArray(values) || values.length === 0)
        return ask(...parts)
      if (isCopyOut(text, values)) return copyOut(ask as Client['query'], text, values[0])
      const name = isPooled ? undefined : this.#nameOf(text)
      if (name === undefined) return ask(text, values)
      return (ask({ name, text, values }) as Promise<unknown>).catch((error: unknown) => {
        // A retry runs without a name, and is later prepared under a new one. This also holds for errors on
        // our side: if pg cannot encode a value, it makes the server close the statement but still takes it
        // for prepared.
        const isLost = !(error instanceof DatabaseError) || NO_LONGER_PREPARED.has(error.code ?? '')
        if (isLost) this.#names.delete(text)
        throw error
      })
    }
    this.query = query as typeof this.query
  }

  /** The name that the statement is prepared under, now or by this call; undefined: not yet, or never. */
  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (this.#uses.size >= MOST_COUNTED) this.#uses.clear()
    this.#uses.set(text, uses)
    if (uses <= USES_BEFORE_PREPARED || SELECTS_ALL.test(text) || MEASURES_DISTANCE.test(text))
      return undefined
    if (this.#names.size >= MOST_PREPARED) this.#forgetAll()
    this.#uses.delete(text)
    this.#prepared += 1
    const name = `${this.#prefix}_${this.#prepared}`
    this.#names.set(text, name)
    return name
  }

  /** Needed because tables of generations come and go, and their statements would stay prepared for ever. */
  #forgetAll(): void {
    this.#names.clear()
    // Queued before the next query. It fails on a broken connection, which the next query reports. It also
    // fails in a failed transaction; then the statements stay prepared until the next time, under names that
    // nobody uses.
    void super.query('deallocate all').catch(() => {})
  }
}
