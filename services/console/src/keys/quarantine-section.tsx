import { useState } from 'preact/hooks'
import { type ApiKey, beginQuarantine, type Quarantine, releaseQuarantine } from '../api/keys.ts'
import { Ago } from '../components/ago.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { FormDialog } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { formatCounted } from '../components/format.ts'

/** The writers in quarantine, with what is withheld, and those that were released. */
export function QuarantineSection({
  keys,
  quarantines,
  wholeDaybook,
  project,
  onChange,
}: {
  readonly keys: readonly ApiKey[]
  readonly quarantines: readonly Quarantine[]
  readonly wholeDaybook: boolean
  readonly project: string | null
  onChange(): void
}) {
  const [beginning, setBeginning] = useState(false)
  const [releasing, setReleasing] = useState<Quarantine | null>(null)
  const [said, setSaid] = useState('')
  const writerOf = ({ agent, keyIds }: Quarantine): string => {
    if (agent !== null) return `agent ${agent}`
    const name = keys.find(({ id }) => keyIds.includes(id))?.name
    return `key ${name ?? keyIds.join(', ')}`
  }
  const common: readonly Column<Quarantine>[] = [
    { name: 'Writer', cell: (one) => <strong>{writerOf(one)}</strong> },
    { name: 'Where', cell: (one) => one.project?.name ?? 'all projects' },
    {
      name: 'Reason',
      cell: ({ reason, releaseReason }) => (releaseReason === null ? reason : `${reason} – ${releaseReason}`),
    },
    {
      name: 'Since',
      cell: ({ beganAt, beganBy }) => (
        <>
          <Ago moment={beganAt} /> by {beganBy}
        </>
      ),
    },
  ]
  const lasting = quarantines.filter(({ releasedAt }) => releasedAt === null)
  const over = quarantines.filter(({ releasedAt }) => releasedAt !== null)
  return (
    <section class="card stack" aria-labelledby="quarantine">
      <div class="section-head">
        <h2 id="quarantine">Quarantine</h2>
        <button type="button" onClick={() => setBeginning(true)}>
          Quarantine an agent …
        </button>
      </div>
      {lasting.length === 0 ? (
        <p class="muted">
          No writer is in quarantine. If a key writes what it should not, put it there: what it wrote leaves
          every search at once.
        </p>
      ) : (
        <DataTable
          label="Writers in quarantine"
          rows={lasting}
          keyOf={({ id }) => id}
          columns={[
            ...common,
            {
              name: 'Withheld here',
              numeric: true,
              cell: ({ memories }) => formatCounted(memories, 'memory', 'memories'),
            },
            {
              name: 'What to do',
              quiet: true,
              cell: (one) => (
                <div class="actions">
                  <button type="button" onClick={() => setReleasing(one)}>
                    Release<span class="visually-hidden"> {writerOf(one)}</span> …
                  </button>
                </div>
              ),
            },
          ]}
        />
      )}
      <p role="status">{said}</p>
      {over.length > 0 && (
        <details>
          <summary>Released ({over.length.toLocaleString()})</summary>
          <DataTable
            label="Released writers"
            rows={over}
            keyOf={({ id }) => id}
            columns={[
              ...common,
              {
                name: 'Released',
                cell: ({ releasedAt, releasedBy }) => (
                  <>
                    {releasedAt !== null && <Ago moment={releasedAt} />} by {releasedBy ?? 'nobody known'}
                  </>
                ),
              },
            ]}
          />
        </details>
      )}
      {beginning && (
        <BeginQuarantine
          of={null}
          wholeDaybook={wholeDaybook}
          project={project}
          onDone={onChange}
          onClose={() => setBeginning(false)}
        />
      )}
      {releasing !== null && (
        <ReleaseQuarantine
          of={releasing}
          writer={writerOf(releasing)}
          onDone={(words) => {
            setSaid(words)
            onChange()
          }}
          onClose={() => setReleasing(null)}
        />
      )}
    </section>
  )
}

/** Puts a writer into quarantine: a key, or an agent by its name. */
export function BeginQuarantine({
  of,
  wholeDaybook,
  project,
  onDone,
  onClose,
}: {
  /** Null: an agent, which is asked for. */
  readonly of: ApiKey | null
  readonly wholeDaybook: boolean
  readonly project: string | null
  onDone(): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={of === null ? 'Put an agent into quarantine' : `Put the key of ${of.name} into quarantine`}
      action="Quarantine"
      dangerous
      onSubmit={async (fields) => {
        await beginQuarantine({
          key: of?.id ?? null,
          agent: of === null ? String(fields.get('agent') ?? '').trim() : null,
          reason: String(fields.get('reason') ?? '').trim(),
          allProjects: fields.has('all'),
        })
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        Whatever it is an author of in {project ?? 'the project'} leaves every search at once, and what it
        writes is refused. It may still read. A release brings everything back as it was.
      </p>
      {of === null && (
        <Field
          name="Agent"
          hint="As memories name it. Nothing proves an agent’s name: whoever uses another one is free."
        >
          {(ids) => <input {...ids} name="agent" required maxLength={200} autocomplete="off" />}
        </Field>
      )}
      <Field name="Reason" hint="Whoever reads one of these memories by its id sees it.">
        {(ids) => <input {...ids} name="reason" required maxLength={200} autocomplete="off" />}
      </Field>
      {of !== null && wholeDaybook && (
        <label class="choice">
          <input type="checkbox" name="all" defaultChecked={!opens(of, project)} />
          In all projects
        </label>
      )}
    </FormDialog>
  )
}

const opens = ({ allProjects, projects }: ApiKey, project: string | null): boolean =>
  allProjects || projects.some(({ name }) => name === project)

/** Asks whether a writer is to be released, with what was withheld. */
function ReleaseQuarantine({
  of,
  writer,
  onDone,
  onClose,
}: {
  readonly of: Quarantine
  readonly writer: string
  /** @param words what is found again */
  onDone(words: string): void
  onClose(): void
}) {
  const withheld = formatCounted(of.memories, 'memory', 'memories')
  return (
    <FormDialog
      title={`Release the ${writer}?`}
      action="Release"
      onSubmit={async (fields) => {
        const { memories } = await releaseQuarantine(of.id, String(fields.get('reason') ?? '').trim() || null)
        onDone(`The ${writer} is released; found again: ${formatCounted(memories, 'memory', 'memories')}.`)
      }}
      onClose={onClose}
    >
      <p>
        {withheld} of this project {of.memories === 1 ? 'is' : 'are'} withheld, because: {of.reason}. Searches
        find
        {of.memories === 1 ? ' it' : ' them'} again, and the writer may write.
      </p>
      <Field name="Reason for the release" hint="It stays in the record. It may be left out.">
        {(ids) => <input {...ids} name="reason" maxLength={200} autocomplete="off" />}
      </Field>
    </FormDialog>
  )
}
