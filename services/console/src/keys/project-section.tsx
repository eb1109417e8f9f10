import { useState } from 'preact/hooks'
import {
  createProject,
  deleteProject,
  type Project,
  renameProject,
  setProjectLimits,
} from '../api/projects.ts'
import { sessionChanged } from '../api/session.ts'
import { Ago } from '../components/ago.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { FormDialog } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { formatBytes, formatCount, formatCounted } from '../components/format.ts'
import { setParams } from '../router/location.ts'
import { Act } from './key-section.tsx'

type OpenDialog =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'rename' | 'limits' | 'delete'; readonly of: Project }

/** From how many projects on they can be filtered by name. */
const MANY = 10

/** The projects that the session's key opens. A key for the whole Daybook can create, rename, limit and delete them. */
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
  const [open, setOpen] = useState<OpenDialog | null>(null)
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

/** Asks for the name of a new project, and makes it. */
function CreateProject({ onDone, onClose }: { onDone(name: string): void; onClose(): void }) {
  return (
    <FormDialog
      title="Create a project"
      action="Create"
      onSubmit={async (fields) => onDone((await createProject(String(fields.get('name')).trim())).name)}
      onClose={onClose}
    >
      <p>A tenant of its own: no key of another project can see or find what is in it.</p>
      <Field name="Name">
        {(ids) => <input {...ids} name="name" required maxLength={200} autocomplete="off" />}
      </Field>
    </FormDialog>
  )
}

/** Asks for a project's name, and deletes it for good. */
function DeleteProject({
  of,
  onDone,
  onClose,
}: {
  readonly of: Project
  /** @param words what was deleted, and what is out of reach */
  onDone(words: string): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Delete the project ${of.name}?`}
      action="Delete for good"
      dangerous
      typed={of.name}
      onSubmit={async () => {
        const { events, outOfReach } = await deleteProject(of)
        onDone(
          `The project ${of.name} is deleted. An operation removes its ${formatCounted(events, 'event')}. Out of reach are: ${outOfReach.join('; ')}.`,
        )
      }}
      onClose={onClose}
    >
      <p>
        {formatCounted(of.memories, 'memory', 'memories')}, the journal, all indexes and vectors are removed
        for good. Nobody can read or write the project any more, and keys that open only this one are revoked.
        It cannot be undone.
      </p>
    </FormDialog>
  )
}

const LIMITS = [
  { field: 'memories', name: 'Memories', hint: 'That are not forgotten.', min: 0 },
  { field: 'bytes', name: 'Bytes of events', hint: 'With those of forgotten memories.', min: 0 },
  { field: 'requestsPerSecond', name: 'Requests a second', hint: 'At each gateway.', min: 1 },
  {
    field: 'queuedTexts',
    name: 'Texts that wait for vectors',
    hint: 'The work that it may leave to do.',
    min: 0,
  },
] as const

/** Asks for the most that a project may hold and ask for. */
function LimitProject({
  of: { id, name, limits },
  onDone,
  onClose,
}: {
  readonly of: Project
  onDone(): void
  onClose(): void
}) {
  const submit = async (fields: FormData) => {
    const given = Object.fromEntries(
      LIMITS.map(({ field }) => {
        const text = String(fields.get(field) ?? '')
        return [field, text === '' ? null : Number(text)]
      }),
    )
    await setProjectLimits(id, given)
    onDone()
  }
  return (
    <FormDialog title={`Limits of ${name}`} action="Set" onSubmit={submit} onClose={onClose}>
      <p>An empty field is no limit. What the project holds already stays, even where that is more.</p>
      {LIMITS.map(({ field, name: title, hint, min }) => (
        <Field key={field} name={title} hint={hint}>
          {(ids) => (
            <input
              {...ids}
              type="number"
              name={field}
              min={min}
              step={1}
              defaultValue={limits[field] ?? ''}
            />
          )}
        </Field>
      ))}
    </FormDialog>
  )
}

/** Asks for another name of a project. */
function RenameProject({
  of: { id, name },
  onDone,
  onClose,
}: {
  readonly of: Project
  onDone(name: string): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Rename the project ${name}`}
      action="Rename"
      onSubmit={async (fields) => onDone((await renameProject(id, String(fields.get('name')).trim())).name)}
      onClose={onClose}
    >
      <p>Its id, memories and keys stay. Whoever names it by its old name must be told.</p>
      <Field name="New name">
        {(ids) => (
          <input {...ids} name="name" required maxLength={200} autocomplete="off" defaultValue={name} />
        )}
      </Field>
    </FormDialog>
  )
}
