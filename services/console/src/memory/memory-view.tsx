import { useState } from 'preact/hooks'
import type { ErasedMemory } from '../api/change-memory.ts'
import type { WholeMemory } from '../api/memory.ts'
import type { Session } from '../api/session.ts'
import { Ago } from '../components/ago.tsx'
import { NotShared } from '../components/not-shared.tsx'
import { Beside } from './beside.tsx'
import { Details } from './details.tsx'
import { History } from './history.tsx'
import { MemoryActions } from './memory-actions.tsx'
import { OwnFields } from './own-fields.tsx'
import { ReviseForm } from './revise-form.tsx'
import { Standing } from './standing.tsx'

/** A memory that is there. */
export function MemoryView({
  memory,
  session,
  onErased,
}: {
  readonly memory: WholeMemory
  readonly session: Session
  onErased(erased: ErasedMemory): void
}) {
  // What the form began with: a change by somebody else meanwhile must not slip in below what is typed.
  const [revised, setRevised] = useState<WholeMemory | null>(null)
  return (
    <article class="page memory-page">
      <header class="memory-head">
        <div class="memory-name">
          <h1>{memory.title}</h1>
          <p class="small muted hit-facts">
            <span class="tag">{memory.kind.toLowerCase()}</span>
            <span>
              version {memory.version.toLocaleString()}, <Ago moment={memory.updatedAt} />
            </span>
            {memory.context !== null && <span>in {memory.context}</span>}
            {memory.agent !== null && <span>by {memory.agent}</span>}
            {!memory.shared && <NotShared />}
          </p>
        </div>
        <MemoryActions
          memory={memory}
          session={session}
          isRevised={revised !== null}
          onRevise={() => setRevised(memory)}
          onErased={onErased}
        />
      </header>
      <Standing memory={memory} />
      <div class="memory-columns">
        <div class="memory-main">
          {revised === null ? (
            <OwnFields memory={memory} />
          ) : (
            <ReviseForm opened={revised} onEnd={() => setRevised(null)} />
          )}
          <History memory={memory} canWrite={session.scopes.includes('write')} />
        </div>
        <aside class="memory-aside" aria-label="About this memory">
          <Details memory={memory} />
          <Beside memory={memory} />
        </aside>
      </div>
    </article>
  )
}
