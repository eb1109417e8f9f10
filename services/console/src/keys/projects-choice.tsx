import { useState } from 'preact/hooks'
import type { Project } from '../api/projects.ts'

/** Which projects a new key opens. */
export type Reach = 'current' | 'chosen' | 'all'

/** The most projects that are listed at once: more are found by their names. */
const MOST = 50

/** Chooses which projects a key opens. */
export function ProjectsChoice({
  projects,
  current,
  mayBeAll,
  reach,
  chosen,
  onReach,
  onChoose,
}: {
  readonly projects: readonly Project[]
  readonly current: string | null
  readonly mayBeAll: boolean
  readonly reach: Reach
  /** The ids of the chosen ones. */
  readonly chosen: readonly string[]
  onReach(reach: Reach): void
  onChoose(chosen: readonly string[]): void
}) {
  const [named, setNamed] = useState('')
  const options: readonly { readonly value: Reach; readonly name: string; readonly there: boolean }[] = [
    { value: 'current', name: `Only ${current ?? 'the project'}`, there: true },
    { value: 'chosen', name: 'Several projects', there: projects.length > 1 },
    { value: 'all', name: 'All projects, also those to come', there: mayBeAll },
  ]
  const found = projects.filter(({ name }) => name.toLowerCase().includes(named.toLowerCase()))
  return (
    <fieldset class="choices">
      <legend>In</legend>
      {options
        .filter(({ there }) => there)
        .map(({ value, name }) => (
          <label key={value} class="choice">
            <input type="radio" name="reach" checked={reach === value} onChange={() => onReach(value)} />
            {name}
          </label>
        ))}
      {reach === 'chosen' && (
        <div class="chosen-projects">
          {projects.length > MOST && (
            <input
              type="search"
              aria-label="Filter the projects by name"
              placeholder="Filter by name"
              value={named}
              onInput={(event) => setNamed(event.currentTarget.value)}
            />
          )}
          <div class="project-list" role="group" aria-label="Projects">
            {found.slice(0, MOST).map(({ id, name }) => (
              <label key={id} class="choice">
                <input
                  type="checkbox"
                  checked={chosen.includes(id)}
                  onChange={(event) =>
                    onChoose(
                      event.currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id),
                    )
                  }
                />
                {name}
              </label>
            ))}
          </div>
          <p class="small muted">
            {chosen.length.toLocaleString()} chosen
            {found.length > MOST && `; ${(found.length - MOST).toLocaleString()} more are not shown: filter`}
          </p>
        </div>
      )}
    </fieldset>
  )
}
