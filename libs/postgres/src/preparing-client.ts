import { Client, type ClientConfig, DatabaseError } from 'pg'

/** Uses of a statement on one connection before it is prepared: pgJDBC's `prepareThreshold`, and for its reason. */
export const USES_BEFORE_PREPARED = 5
/** Statements that a connection keeps prepared, about: pgJDBC's `preparedStatementCacheQueries`. */
export const MOST_PREPARED = 256
/** Texts whose uses are counted. Those that come once, such as inserts of an odd number of rows, push nobody out for long. */
const MOST_COUNTED = 2_000

/**
 * What a statement selects by `*` changes with its tables, and a prepared one then fails ("cached plan must not change result
 * type"): a migration under running services would make it fail on each of their connections once.
 */
const SELECTS_ALL = /^\s*select (?:"?\w+"?\.)?\*|\breturning \*/u

/** Whether the index of vectors serves a search depends on its limit and project, which a plan for all of them cannot know. */
const MEASURES_DISTANCE = /<=>/u

/** Its plan holds no more, or the server has it no more. */
const NO_LONGER_PREPARED = new Set(['0A000', '26000'])

/**
 * A connection that prepares what it is asked again and again, so that the server parses it once and, after five runs more and
 * where that costs no more, plans it once too. Of the processor time that a search takes of the server it saves a tenth.
 *
 * For servers only: what is prepared belongs to a session, of which the embedded database has one for all connections in turn.
 */
export class PreparingClient extends Client {
  readonly #uses = new Map<string, number>()
  readonly #names = new Map<string, string>()
  #prepared = 0

  constructor(config?: string | ClientConfig) {
    super(config)
    // pg's declaration has many forms of `query`; the one of text and values is what Kysely calls.
    const ask = super.query.bind(this) as (...parts: unknown[]) => unknown
    const query = (...parts: unknown[]): unknown => {
      const [text, values] = parts
      if (parts.length !== 2 || typeof text !== 'string' || !Array.isArray(values) || values.length === 0)
        return ask(...parts)
      const name = this.#nameOf(text)
      if (name === undefined) return ask(text, values)
      return (ask({ name, text, values }) as Promise<unknown>).catch((error: unknown) => {
        // Whoever tries again asks without a name, and after some uses it is prepared under another. Also after an error of this
        // side: pg has the server close a statement for which it cannot write a value, and takes it for prepared all the same.
        const isLost = !(error instanceof DatabaseError) || NO_LONGER_PREPARED.has(error.code ?? '')
        if (isLost) this.#names.delete(text)
        throw error
      })
    }
    this.query = query as typeof this.query
  }

  /** Under which name the statement is prepared or is to be; undefined: not yet, or never. */
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
    const name = `daybook_${this.#prepared}`
    this.#names.set(text, name)
    return name
  }

  /** Tables of generations come and go, and what asked them would stay prepared for ever. */
  #forgetAll(): void {
    this.#names.clear()
    // Queued before whatever is asked next. It fails where the connection is broken, which the next query reports, and in a
    // transaction that has failed: what was prepared then stays until the next time, under names that nobody asks for.
    void super.query('deallocate all').catch(() => {})
  }
}
