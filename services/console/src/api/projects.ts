import { type InputOf, type ReadonlyInput, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { changeOnce, read } from './client.ts'

const PROJECTS = queries.projects(
  'id name memories bytes createdAt limits { memories bytes requestsPerSecond queuedTexts }',
)

/** A project, what it holds and what it may hold. */
export type Project = ResultOf<typeof PROJECTS>['projects'][number]
/** The most that a project may hold or ask for; null: no limit. */
export type ProjectLimits = ReadonlyInput<InputOf<'ProjectLimitsInput'>>

/** The projects that the session's key may use, by name. @throws DaybookClientError */
export const listProjects = async (signal: AbortSignal): Promise<readonly Project[]> =>
  (await read(PROJECTS, {}, { signal })).projects

const CREATE = mutations.createProject('project { id name }')

/** Makes an empty project. @throws DaybookClientError */
export const createProject = async (name: string) => (await changeOnce(CREATE, { name })).project

const RENAME = mutations.renameProject('project { id name }')

/** @throws DaybookClientError */
export const renameProject = async (id: string, name: string) =>
  (await changeOnce(RENAME, { id, name })).project

const LIMIT = mutations.setProjectLimits('project { id name }')

/** @throws DaybookClientError */
export const setProjectLimits = async (id: string, limits: ProjectLimits) =>
  (await changeOnce(LIMIT, { id, limits })).project

const DELETE = mutations.deleteProject('id events outOfReach')

/** Deletes a project for good. @throws DaybookClientError */
export const deleteProject = ({ id, name }: Pick<Project, 'id' | 'name'>) =>
  // By its id: the name may mean another project by now.
  changeOnce(DELETE, { id, confirm: name })
