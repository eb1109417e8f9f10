import { Client } from 'pg'

/** `project_id = $1`, with an alias or quotes, and with a cast. In an insert or an update it does not stand so. */
const CONDITION = /(?:"?\w+"?\.)?"?\bproject_id"? = (?:any\((\$\d+)(?:::uuid\[\])?\)|(\$\d+)(?:::uuid)?)/gu
const BINDING = /(set|set local) daybook\.project = '([^']*)'/u

/** The conditions of the statements that this process sends. */
export interface Conditions {
  /** Takes them out from now on. */
  remove(): void
  /** Leaves them in again. */
  restore(): void
  /** The statements that lost one so far. */
  readonly changed: ReadonlySet<string>
  /** Stops watching. Connections that were opened in between keep what was set last. */
  release(): void
}

/**
 * Can take the condition `project_id = …` out of every statement that this process sends in a session bound to one
 * project, whoever built it. What keeps projects apart then is row level security alone. Statements of sessions
 * that are bound to none, such as a projector's, stay. Call it before a database is opened: it has to see what each
 * session is bound to.
 */
export function watchConditions(): Conditions {
  const changed = new Set<string>()
  let removing = false
  const ofSession = new WeakMap<Client, string>()
  const ofTransaction = new WeakMap<Client, string>()
  const ask = Client.prototype.query as (...parts: unknown[]) => unknown
  const rewrite = (client: Client, text: string): string => {
    const bound = BINDING.exec(text)
    if (bound !== null) (bound[1] === 'set local' ? ofTransaction : ofSession).set(client, bound[2] ?? '*')
    else if (text === 'commit' || text === 'rollback') ofTransaction.delete(client)
    const project = ofTransaction.get(client) ?? ofSession.get(client) ?? '*'
    if (!removing || project === '*' || !text.includes('project_id')) return text
    const without = text.replace(CONDITION, (_, list: string | undefined, one: string | undefined) =>
      // It stays in the statement, or Postgres could not tell its type.
      list === undefined ? `(${one}::uuid is not null)` : `(${list}::uuid[] is not null)`,
    )
    if (without !== text) changed.add(text)
    return without
  }
  Client.prototype.query = function (this: Client, ...parts: unknown[]) {
    const [first, ...rest] = parts
    if (typeof first === 'string') return ask.call(this, rewrite(this, first), ...rest)
    const { name: _, ...query } = (first ?? {}) as { readonly name?: unknown; readonly text?: unknown }
    if (typeof query.text !== 'string') return ask.apply(this, parts)
    const text = rewrite(this, query.text)
    // Under its name the statement may be prepared as it was.
    return text === query.text ? ask.apply(this, parts) : ask.call(this, { ...query, text }, ...rest)
  } as typeof Client.prototype.query
  return {
    changed,
    remove: () => void (removing = true),
    restore: () => void (removing = false),
    release() {
      removing = false
      Client.prototype.query = ask as typeof Client.prototype.query
    },
  }
}
