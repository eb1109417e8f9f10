/**
 * What a key may do: `read` its projects, `write` to them, or administer them (`admin`): their keys and names.
 * A key of all projects with `admin` runs the whole Daybook.
 */
export type Scope = 'read' | 'write' | 'admin'

/** All scopes, in the order in which they are shown. */
export const SCOPES: readonly Scope[] = ['read', 'write', 'admin']
