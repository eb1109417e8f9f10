import type { ComponentChildren } from 'preact'
import type { Conflict } from '../api/sync.ts'
import { Ago } from '../components/ago.tsx'
import { fieldName, fieldText } from '../components/field-text.ts'
import { memoryAddress } from '../components/memory-address.ts'
import { StateChanges } from '../components/state-changes.tsx'
import { commandFields, commandName, kindOf } from './command-words.ts'

/** How the problem of a change begins that is only in conflict because one before it is. */
const RESTS = 'rests on a change'

/** One conflict: what was to be done to which memory, who gave it when, on which version, and what came instead. */
export function ConflictEntry({
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
