/**
 * What a key may do: `read` its projects, `write` to them, or administer them (`admin`): their keys and names.
 * A key of all projects with `admin` runs the whole Daybook. `follow` lets another Daybook copy the whole journal, also what
 * is withheld from readers; `admin` may do that too.
 */
export type Scope = 'read' | 'write' | 'follow' | 'admin'

/** All scopes, in the order in which they are shown. */
export const SCOPES: readonly Scope[] = ['read', 'write', 'follow', 'admin']
