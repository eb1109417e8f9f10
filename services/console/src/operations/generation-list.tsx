import { useState } from 'preact/hooks'
import { dropGeneration, type Generation } from '../api/projections.ts'
import { Ago } from '../components/ago.tsx'
import { Badge, type Tone } from '../components/badge.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { formatBytes, formatCount } from '../components/format.ts'
import { projectionTitle } from './operation-name.ts'

const TONES: Readonly<Record<Generation['status'], Tone>> = {
  LIVE: 'good',
  BUILDING: 'busy',
  FOLLOWING: 'busy',
  OLD: 'neutral',
  DROPPING: 'neutral',
}

/** A projection's generations, the newest first. An old one can be deleted. */
export function GenerationList({
  generations,
  onChange,
}: {
  readonly generations: readonly Generation[]
  onChange(): void
}) {
  const [dropping, setDropping] = useState<Generation | null>(null)
  return (
    <>
      <ul class="generations">
        {generations.map((one) => (
          <li key={one.generation}>
            <span class="generation-name">
              Generation {one.generation} <Badge tone={TONES[one.status]}>{one.status.toLowerCase()}</Badge>
            </span>
            <span class="small muted">
              {[
                one.model,
                ...(one.bytes === null ? [] : [formatBytes(one.bytes)]),
                ...(one.lag === 0 ? [] : [`${formatCount(one.lag)} behind`]),
                ...(one.parked === 0 ? [] : [`${formatCount(one.parked)} parked`]),
              ].join(' · ')}
              {' · made '}
              <Ago moment={one.createdAt} />
            </span>
            {one.status === 'OLD' && (
              <button type="button" class="quiet small" onClick={() => setDropping(one)}>
                Delete
                <span class="visually-hidden">
                  {' '}
                  generation {one.generation} of {projectionTitle(one.projection)}
                </span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {dropping !== null && (
        <FormDialog
          title={`Delete generation ${dropping.generation} of ${projectionTitle(dropping.projection)}?`}
          action="Delete"
          dangerous
          onSubmit={async () => {
            await dropGeneration(dropping)
            onChange()
          }}
          onClose={() => setDropping(null)}
        >
          <p>It is gone for good within some seconds. A rollback to it is impossible then.</p>
        </FormDialog>
      )}
    </>
  )
}
