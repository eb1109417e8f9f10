import { useState } from 'preact/hooks'
import type { ApiKey } from '../api/keys.ts'
import type { Quarantine } from '../api/quarantines.ts'
import { Ago } from '../components/ago.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { formatCounted } from '../components/format.ts'
import { BeginQuarantine } from './begin-quarantine.tsx'
import { ReleaseQuarantine } from './release-quarantine.tsx'

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
