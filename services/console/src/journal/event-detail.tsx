import type { CommonFieldName } from '@daybook/memory/common-fields'
import { useState } from 'preact/hooks'
import { readEvent, type WholeEvent } from '../api/journal-event.ts'
import { formatMoment } from '../components/ago.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { fieldName } from '../components/field.tsx'
import { eventWord, memoryAddress, pageAddress } from '../components/format.ts'
import { useLatest } from '../components/hooks.ts'
import { VersionChanges } from '../components/memory-facts.tsx'

/** One event with all that it says: who, what it changed, and the memory's state after it. */
export default function EventDetail({ sequence, onClose }: { readonly sequence: number; onClose(): void }) {
  const [again, setAgain] = useState(0)
  const { answer, error } = useLatest(
    String(sequence),
    async (signal) => ({ event: await readEvent(sequence, signal) }),
    again,
  )
  return (
    <section
      class="card event-detail"
      aria-label={`Event ${sequence.toLocaleString()}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <div class="event-detail-head">
        <h2>Event {sequence.toLocaleString()}</h2>
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </div>
      {error !== null && <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />}
      {answer === null && error === null && <p class="muted">Loading …</p>}
      {answer?.event === null && <p class="muted">The journal has no such event.</p>}
      {answer?.event != null && <Event event={answer.event} />}
    </section>
  )
}

function Event({ event }: { readonly event: WholeEvent }) {
  const { memory, writer, changed, status, content } = event
  return (
    <>
      <p class="event-title">
        <span class={`event-word ${eventWord(event.type)}`}>{eventWord(event.type)}</span>{' '}
        <a href={memoryAddress(event.memoryId)}>{memory?.title ?? event.memoryId}</a>
      </p>
      {status !== 'READABLE' && (
        <p class="notice warning">{status.toLowerCase()}: its content is not here.</p>
      )}
      <dl class="facts">
        <Fact name="Recorded" value={formatMoment(event.recordedAt)} />
        <Fact name="Version" value={event.version.toLocaleString()} />
        {changed.length > 0 && <Fact name="Changed" value={changed.map(fieldName).join(', ')} />}
        {event.actor !== null && <Fact name="Key" value={event.actor} />}
        {writer !== null && (
          <Fact
            name="Writer"
            value={[writer.agent, writer.client, `${writer.trust.toLowerCase()} trust`]
              .filter((part) => part !== null)
              .join(', ')}
          />
        )}
        {event.correlationId !== null && <Fact name="Request" value={event.correlationId} />}
        <Fact name="Hash" value={event.hash} />
      </dl>
      {event.version > 1 && status === 'READABLE' && changed.length > 0 && (
        <>
          <h3 class="field-name">What it changed</h3>
          <VersionChanges id={event.memoryId} version={event.version} />
        </>
      )}
      {memory !== null && content !== null && (
        <>
          <h3 class="field-name">The memory after it</h3>
          <pre class="payload" tabIndex={0} aria-label="The memory after the event">
            {JSON.stringify(stateOf(memory, content), null, 2)}
          </pre>
        </>
      )}
      <p class="small">
        <a
          href={pageAddress('/console/undo', {
            since: event.recordedAt,
            agent: memory?.agent ?? null,
            context: memory?.context ?? null,
          })}
        >
          Undo from here on …
        </a>
      </p>
    </>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** What the event says of the memory: nothing of what was worked out since. */
function stateOf(
  {
    id,
    agent,
    context,
    labels,
    categories,
    importance,
    metadata,
    occurredAt,
    expiresAt,
    forgottenAt,
    kind,
  }: NonNullable<WholeEvent['memory']>,
  content: object,
): object {
  const common = {
    agent,
    context,
    labels,
    categories,
    importance,
    metadata,
    occurredAt,
    expiresAt,
  } satisfies Record<Exclude<CommonFieldName, 'supersedes'>, unknown>
  return { id, content: { [kind.toLowerCase()]: content }, ...common, forgottenAt }
}
