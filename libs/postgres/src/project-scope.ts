import { bindToProject, type Database } from './connect.ts'

/**
 * What every query of a request goes through: a database handle that is bound to one project. What reads or writes a project's
 * data takes a scope, never a handle beside a project id, so that no query can be written without its project; and where
 * one's condition is wrong or missing, row level security leaves the rows of others out all the same. Services get scopes from
 * `projectScope` only after the request's key named the project.
 */
export interface ProjectScope {
  readonly projectId: string
  readonly db: Database
}

/** Binds a handle to a project. Call it where the project has just been established, and nowhere else. */
export function projectScope(db: Database, projectId: string): ProjectScope {
  return { projectId, db: bindToProject(db, projectId) }
}
