import { graphql, type InputOf, type ReadonlyInput, type ResultOf } from '@daybook/api/graphql'
import { succeeded } from '@daybook/client/calls/calls'
import { FAILURE } from '@daybook/client/documents/failure'
import { changeOnce, read } from './client.ts'

const PROJECTS = graphql(`query Projects {
  projects { id name memories bytes createdAt limits { memories bytes requestsPerSecond queuedTexts } }
}`)

/** A project, what it holds and what it may hold. */
export type Project = ResultOf<typeof PROJECTS>['projects'][number]
/** The most that a project may hold or ask for; null: no limit. */
export type ProjectLimits = ReadonlyInput<InputOf<'ProjectLimitsInput'>>

/** The projects that the session's key may use, by name. @throws DaybookClientError */
export const listProjects = async (signal: AbortSignal): Promise<readonly Project[]> =>
  (await read(PROJECTS, {}, { signal })).projects

const CHANGED = graphql(
  `fragment Changed on ProjectResult { __typename ... on CreatedProject { project { id name } } ...Failure }`,
  [FAILURE],
)

const CREATE = graphql(
  `mutation CreateProject($name: String!) { result: createProject(name: $name) { ...Changed } }`,
  [CHANGED],
)

const RENAME = graphql(
  `mutation RenameProject($id: ID!, $name: String!) { result: renameProject(id: $id, name: $name) { ...Changed } }`,
  [CHANGED],
)

const LIMIT = graphql(
  `mutation SetProjectLimits($id: ID!, $limits: ProjectLimitsInput!) {
    result: setProjectLimits(id: $id, limits: $limits) { ...Changed }
  }`,
  [CHANGED],
)

const changed = ({ result }: ResultOf<typeof CREATE>) => succeeded(result).project

/** Makes an empty project. @throws DaybookClientError */
export const createProject = (name: string) => changeOnce(CREATE, { name }, changed)

/** @throws DaybookClientError */
export const renameProject = (id: string, name: string) => changeOnce(RENAME, { id, name }, changed)

/** @throws DaybookClientError */
export const setProjectLimits = (id: string, limits: ProjectLimits) =>
  changeOnce(LIMIT, { id, limits }, changed)

const DELETE = graphql(
  `mutation DeleteProject($id: ID!, $confirm: String!) {
    result: deleteProject(id: $id, confirm: $confirm) {
      __typename ... on DeletedProject { id events outOfReach } ...Failure
    }
  }`,
  [FAILURE],
)

/** Deletes a project for good. @throws DaybookClientError */
export const deleteProject = ({ id, name }: Pick<Project, 'id' | 'name'>) =>
  // By its id: the name may mean another project by now.
  changeOnce(DELETE, { id, confirm: name }, ({ result }) => succeeded(result))
