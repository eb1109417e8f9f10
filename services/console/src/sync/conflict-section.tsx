import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import {
  CONFLICTS_PAGE,
  type Conflict,
  type ConflictRule,
  listConflictsAfter,
  resolveConflict,
} from '../api/sync.ts'
import { Ago } from '../components/ago.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { fieldName, fieldText } from '../components/field.tsx'
import { formatCounted, memoryAddress } from '../components/format.ts'
import { useChange } from '../components/hooks.ts'
import { StateChanges } from '../components/memory-facts.tsx'
import { commandFields, commandName, kindOf } from './command-words.ts'

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

/** How the problem of a change begins that is only in conflict because one before it is. */
const RESTS = 'rests on a change'

/** One conflict: what was to be done to which memory, who gave it when, on which version, and what came instead. */
function ConflictEntry({
  conflict: { command, code, problem, baseVersion, homeVersion, actor, givenAt, memory, preview },
  children,
}: {
  readonly conflict: Conflict
  /** What became of it, or the buttons that decide. */
  readonly children: ComponentChildren
}) {
  return (
    <>
      <h3 class="conflict-name">
        {commandName(command)}{' '}
        {memory === null ? (
          (kindOf(command) ?? 'a memory that is not there')
        ) : (
          <a href={memoryAddress(memory.id)}>{memory.title}</a>
        )}
      </h3>
      <p class="small muted hit-facts">
        <span>
          given <Ago moment={givenAt} />
        </span>
        {actor !== null && <span>by {actor}</span>}
        {baseVersion !== null && <span>written on version {baseVersion.toLocaleString()}</span>}
        {homeVersion !== null && <span>the home had version {homeVersion.toLocaleString()}</span>}
        {memory !== null && <span>now version {memory.version.toLocaleString()}</span>}
        {code !== 'VERSION_CONFLICT' && <span class="tag">{code}</span>}
      </p>
      {code !== 'VERSION_CONFLICT' && <p class="small">{problem}</p>}
      {problem.startsWith(RESTS) && <p class="small">It {RESTS} that is in conflict, too.</p>}
      {preview === null ? (
        <Fields command={command} />
      ) : (
        <div>
          <p class="small muted">What “Mine” would change in the memory as it is now:</p>
          {preview.changed.length === 0 ? <p>Nothing: it is so already.</p> : <StateChanges diff={preview} />}
        </div>
      )}
      {children}
    </>
  )
}

/** What was to be set, where it cannot be compared. */
function Fields({ command }: { readonly command: unknown }) {
  const fields = commandFields(command)
  if (fields.length === 0) return null
  return (
    <dl class="facts">
      {fields.map(({ field, value }) => (
        <div key={field}>
          <dt>{fieldName(field)}</dt>
          <dd class="command-value">{fieldText(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

const DECIDED: Readonly<Record<NonNullable<Conflict['resolution']>, string>> = {
  LATEST_WINS: 'Made on top by the rule “the latest wins”',
  MINE: 'Made on top',
  THEIRS: 'Left out',
}

/** The conflicts that are decided, by the rule or by a person, the oldest first. They are read when they are asked for. */
function DecidedConflicts() {
  const [read, setRead] = useState<readonly Conflict[]>([])
  const [more, setMore] = useState(true)
  const change = useChange()
  const next = () =>
    change.run(async () => {
      const page = await listConflictsAfter(read.at(-1)?.id ?? null)
      setRead([...read, ...page])
      setMore(page.length === CONFLICTS_PAGE)
    })
  const decided = read.filter(({ resolution }) => resolution !== null)
  return (
    <details
      class="decided"
      onToggle={(event) => {
        if (event.currentTarget.open && read.length === 0) void next()
      }}
    >
      <summary>Those that are decided</summary>
      {change.error !== null && <ErrorNotice error={change.error} onRetry={() => void next()} />}
      {decided.length === 0 && !more && <p class="muted">No conflict has been decided yet.</p>}
      <ol class="conflicts" aria-label="Decided conflicts">
        {decided.map((one) => (
          <li key={one.id}>
            <ConflictEntry conflict={one}>
              <p class="small">
                {one.resolution !== null && DECIDED[one.resolution]}
                {one.resolvedBy !== null && ` by ${one.resolvedBy}`}
                {one.resolvedAt !== null && (
                  <>
                    , <Ago moment={one.resolvedAt} />
                  </>
                )}
              </p>
            </ConflictEntry>
          </li>
        ))}
      </ol>
      {more && read.length > 0 && (
        <button type="button" class="more" disabled={change.busy} onClick={() => void next()}>
          Show later ones
        </button>
      )}
    </details>
  )
}

/** A conflict that waits for a person, with the buttons that decide it. */
function OpenConflict({ conflict, onChange }: { readonly conflict: Conflict; onChange(): void }) {
  const change = useChange()
  const decide = (resolution: 'MINE' | 'THEIRS') =>
    void change.run(async () => {
      await resolveConflict(conflict.id, resolution)
      onChange()
    })
  const about = <span class="visually-hidden">: {conflict.memory?.title ?? conflict.problem}</span>
  return (
    <ConflictEntry conflict={conflict}>
      {change.error !== null && <ErrorNotice error={change.error} />}
      <div class="actions">
        <button type="button" class="primary" disabled={change.busy} onClick={() => decide('MINE')}>
          Mine – make this change{about}
        </button>
        <button type="button" disabled={change.busy} onClick={() => decide('THEIRS')}>
          Theirs – leave it out{about}
        </button>
      </div>
    </ConflictEntry>
  )
}
