import { projectIn } from '../api/project.ts'
import type { Session } from '../api/session.ts'
import { setParams, useLocation } from '../router/location.ts'

/** Chooses the project that the pages are about, for a key that opens several. It stands in the address. */
export function ProjectChoice({ session }: { readonly session: Session }) {
  const { params } = useLocation()
  const chosen = projectIn(params, session)
  const [only] = session.projects
  if (session.projects.length < 2)
    return only === undefined ? null : <span class="project-name">{only.name}</span>
  return (
    <label class="quiet-select">
      <span class="visually-hidden">Project</span>
      <select value={chosen ?? ''} onChange={(event) => setParams({ project: event.currentTarget.value })}>
        {session.projects.map(({ id, name }) => (
          <option key={id} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
