import { useState } from 'preact/hooks'
import type { Project } from '../api/projects.ts'
import { sessionChanged } from '../api/session.ts'
import { Ago } from '../components/ago.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { formatBytes, formatCount } from '../components/format.ts'
import { setParams } from '../router/location.ts'
import { Act } from './act.tsx'
import { CreateProject } from './create-project.tsx'
import { DeleteProject } from './delete-project.tsx'
import { LimitProject } from './limit-project.tsx'
import { RenameProject } from './rename-project.tsx'

type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'rename' | 'limits' | 'delete'; readonly of: Project }

/** From how many projects on they can be filtered by name. */
const MANY = 10

/** The projects that the session's key opens. Who runs the whole Daybook makes, renames, limits and deletes them. */
export function ProjectSection({
  projects,
  current,
  wholeDaybook,
  onChange,
}: {
  readonly projects: readonly Project[]
  readonly current: string | null
  readonly wholeDaybook: boolean
  onChange(): void
}) {
  const [open, setOpen] = useState<Open | null>(null)
  const [said, setSaid] = useState('')
  const [named, setNamed] = useState('')
  const close = () => setOpen(null)
  const changed = (words: string) => {
    setSaid(words)
    onChange()
    sessionChanged()
  }
  const columns: readonly Column<Project>[] = [
    {
      name: 'Name',
      cell: ({ name, id }) => (
        <>
          <strong>{name}</strong> {name === current && <span class="tag">shown now</span>}
          <code class="small muted block">{id}</code>
        </>
      ),
    },
    {
      name: 'Memories',
      numeric: true,
      cell: ({ memories, limits }) => ofLimit(memories, limits.memories, formatCount),
    },
    { name: 'Size', numeric: true, cell: ({ bytes, limits }) => ofLimit(bytes, limits.bytes, formatBytes) },
    { name: 'Made', cell: ({ createdAt }) => <Ago moment={createdAt} /> },
    ...(wholeDaybook
      ? [
          {
            name: 'What to do',
            quiet: true,
            cell: (of: Project) => (
              <div class="actions">
                <Act of={of} word="Rename" onAct={() => setOpen({ dialog: 'rename', of })} />
                <Act of={of} word="Limits" onAct={() => setOpen({ dialog: 'limits', of })} />
                <Act of={of} word="Delete" dangerous onAct={() => setOpen({ dialog: 'delete', of })} />
              </div>
            ),
          },
        ]
      : []),
  ]
  return (
    <section class="card stack" aria-labelledby="projects">
      <div class="section-head">
        <h2 id="projects">Projects</h2>
        <div class="actions">
          {projects.length > MANY && (
            <input
              type="search"
              aria-label="Filter the projects by name"
              placeholder="Filter by name"
              value={named}
              onInput={(event) => setNamed(event.currentTarget.value)}
            />
          )}
          {wholeDaybook && (
            <button type="button" onClick={() => setOpen({ dialog: 'create' })}>
              Create a project …
            </button>
          )}
        </div>
      </div>
      <p role="status">{said}</p>
      <DataTable
        label="Projects"
        columns={columns}
        rows={projects.filter(({ name }) => name.toLowerCase().includes(named.toLowerCase()))}
        keyOf={({ id }) => id}
      />
      {open?.dialog === 'create' && (
        <CreateProject
          onDone={(name) => changed(`The project ${name} is made. Create a key that opens it.`)}
          onClose={close}
        />
      )}
      {open?.dialog === 'rename' && (
        <RenameProject
          of={open.of}
          onDone={(name) => {
            // The address names the project.
            if (open.of.name === current) setParams({ project: name }, { replace: true })
            changed(`The project ${open.of.name} is called ${name} now.`)
          }}
          onClose={close}
        />
      )}
      {open?.dialog === 'limits' && (
        <LimitProject
          of={open.of}
          onDone={() => changed(`The limits of ${open.of.name} are set.`)}
          onClose={close}
        />
      )}
      {open?.dialog === 'delete' && <DeleteProject of={open.of} onDone={changed} onClose={close} />}
    </section>
  )
}

const ofLimit = (amount: number, limit: number | null, format: (amount: number) => string): string =>
  limit === null ? format(amount) : `${format(amount)} of ${format(limit)}`
