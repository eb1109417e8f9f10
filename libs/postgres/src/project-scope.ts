import { bindToProject, type Database } from './connect.ts'

/**
 * What every query of a request goes through: a database handle bound to one project. Code that reads or
 * writes a project's data takes a scope, never a handle and a project id, so that no query can be written
 * without its project. If a condition is wrong or missing, row level security still hides other projects'
 * rows. Services get scopes from `projectScope` only after the request's key named the project.
 */
export interface ProjectScope {
  readonly projectId: string
  readonly db: Database
}

/** Binds a handle to a project. Call it only where the project has just been established. */
export function projectScope(db: Database, projectId: string): ProjectScope {
  return { projectId, db: bindToProject(db, projectId) }
}
