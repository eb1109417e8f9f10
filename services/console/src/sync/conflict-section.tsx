import type { Conflict, ConflictRule } from '../api/sync.ts'
import { formatCounted } from '../components/format.ts'
import { DecidedConflicts } from './decided-conflicts.tsx'
import { OpenConflict } from './open-conflict.tsx'

/** The conflicts of the project that the page is about: those that wait for a person, and on demand the others. */
export function ConflictSection({
  project,
  conflicts,
  count,
  rule,
  onChange,
}: {
  readonly project: string
  /** The first of those that wait, the oldest first. */
  readonly conflicts: readonly Conflict[]
  /** How many wait. */
  readonly count: number
  /** Null if the project has its home here. */
  readonly rule: ConflictRule | null
  onChange(): void
}) {
  return (
    <section class="card stack" aria-labelledby="conflicts">
      <h2 id="conflicts">Conflicts of {project}</h2>
      {conflicts.length === 0 ? (
        <p class="muted">
          None waits for a decision.{' '}
          {rule === 'LATEST_WINS'
            ? 'Changes made offline are made on top of those of the home; both are in the history.'
            : 'A change made offline waits here if the home has changed the same memory meanwhile.'}
        </p>
      ) : (
        <p role="status">
          {formatCounted(count, 'change')} made offline {count === 1 ? 'waits' : 'wait'} for a decision
          {count > conflicts.length && `, of which the first ${conflicts.length} are here`}. “Mine” makes the
          change on top of what the home has; “Theirs” leaves it out.
        </p>
      )}
      {conflicts.length > 0 && (
        <ol class="conflicts" aria-label="Conflicts that wait">
          {conflicts.map((one) => (
            <li key={one.id}>
              <OpenConflict conflict={one} onChange={onChange} />
            </li>
          ))}
        </ol>
      )}
      <DecidedConflicts key={project} />
    </section>
  )
}
