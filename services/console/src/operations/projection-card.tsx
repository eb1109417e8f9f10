import { useState } from 'preact/hooks'
import { hasEnded, type Operation, type ProjectionName, verify } from '../api/operations.ts'
import type { Generation, Projection } from '../api/projections.ts'
import { Ago } from '../components/ago.tsx'
import { Badge } from '../components/badge.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatCount, formatRate } from '../components/format.ts'
import { GenerationList } from './generation-list.tsx'
import { projectionTitle } from './operation-name.ts'
import { outcomeOf } from './outcome.ts'
import { OutcomeText } from './outcome-text.tsx'
import { stateOf } from './projection-state.ts'
import { RebuildDialog } from './rebuild-dialog.tsx'
import { RollbackDialog } from './rollback-dialog.tsx'
import { RunningOperation } from './running-operation.tsx'
import { useProgressRate } from './use-progress-rate.ts'

/** One projection: how far it is, what works on it, whether it is true, and its generations. */
export function ProjectionCard({
  name,
  progress,
  generations,
  operations,
  onChange,
}: {
  readonly name: ProjectionName
  /** With the chosen project; null while its engine is not there. */
  readonly progress: Projection | null
  readonly generations: readonly Generation[]
  /** Those on this projection, the newest first. */
  readonly operations: readonly Operation[]
  onChange(): void
}) {
  const [asking, setAsking] = useState<'rebuild' | 'rollback' | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const title = projectionTitle(name)
  const running = operations.filter((one) => !hasEnded(one))
  const live = generations.find(({ status }) => status === 'LIVE') ?? null
  // What was found of another generation says nothing of the live one.
  const verified = operations.find(
    ({ type, status, result }) =>
      type === 'VERIFY' && status === 'SUCCEEDED' && result?.['generation'] === live?.generation,
  )
  const [previous] = generations
    .filter(({ status }) => status === 'OLD')
    .toSorted((a, b) => (b.retiredAt ?? '').localeCompare(a.retiredAt ?? ''))
  const startVerify = async (repair: boolean) => {
    setFailure(null)
    try {
      await verify(name, repair)
      onChange()
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <section class="card projection" aria-labelledby={`projection-${name}`}>
      <div class="section-head">
        <h3 id={`projection-${name}`}>{title}</h3>
        {progress !== null && <Badge tone={stateOf(progress).tone}>{progress.status}</Badge>}
      </div>
      {progress !== null && <Facts name={name} progress={progress} live={live} />}
      {verified !== undefined && (
        <Verified operation={verified} busy={running.length > 0} onRepair={() => void startVerify(true)} />
      )}
      {running.map((one) => (
        <RunningOperation key={one.id} operation={one} onChange={onChange} />
      ))}
      {failure !== null && <ErrorNotice error={failure} />}
      <div class="actions">
        <button type="button" disabled={running.length > 0} onClick={() => void startVerify(false)}>
          Verify<span class="visually-hidden"> {title}</span>
        </button>
        <button type="button" disabled={running.length > 0} onClick={() => setAsking('rebuild')}>
          Rebuild<span class="visually-hidden"> {title}</span> …
        </button>
        {previous !== undefined && (
          <button type="button" disabled={running.length > 0} onClick={() => setAsking('rollback')}>
            Roll back<span class="visually-hidden"> {title}</span> …
          </button>
        )}
      </div>
      <GenerationList
        generations={generations.toSorted((a, b) => b.generation - a.generation)}
        onChange={onChange}
      />
      {asking === 'rebuild' && (
        <RebuildDialog
          projection={name}
          model={live?.model ?? null}
          onStarted={onChange}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'rollback' && previous !== undefined && (
        <RollbackDialog to={previous} onDone={onChange} onClose={() => setAsking(null)} />
      )}
    </section>
  )
}

function Facts({
  name,
  progress,
  live,
}: {
  readonly name: ProjectionName
  readonly progress: Projection
  readonly live: Generation | null
}) {
  const { position, head, lag, pendingEmbeddings, parked } = progress
  const { perSecond } = useProgressRate(`${name} ${progress.generation}`, position, head)
  const { meaning } = stateOf(progress)
  return (
    <>
      {meaning !== null && <p class="small">{meaning}</p>}
      <dl class="figures">
        <Fact name="Applied" value={`${formatCount(position)} of ${formatCount(head)}`} />
        <Fact name="Behind" value={formatCount(lag)} wrong={lag !== 0} />
        <Fact name="Rate" value={formatRate(perSecond ?? 0)} />
        <Fact name="Without vectors" value={formatCount(pendingEmbeddings)} />
        <Fact name="Parked" value={formatCount(parked)} wrong={parked > 0} />
        {live !== null && (
          <Fact name="Behind, all projects" value={formatCount(live.lag)} wrong={live.lag !== 0} />
        )}
      </dl>
    </>
  )
}

function Fact({
  name,
  value,
  wrong = false,
}: {
  readonly name: string
  readonly value: string
  readonly wrong?: boolean
}) {
  return (
    <div>
      <dt class="small muted">{name}</dt>
      <dd class={wrong ? 'wrong' : undefined}>{value}</dd>
    </div>
  )
}

/** What the last verification found. */
function Verified({
  operation,
  busy,
  onRepair,
}: {
  readonly operation: Operation
  readonly busy: boolean
  onRepair(): void
}) {
  const outcome = outcomeOf(operation)
  return (
    <div class={`verdict ${outcome.good ? 'good' : 'bad'}`} role="status">
      <div>
        <OutcomeText outcome={outcome} />{' '}
        <span class="small muted">
          Verified <Ago moment={operation.finishedAt ?? operation.updatedAt} />
        </span>
      </div>
      {outcome.repairable && (
        <button type="button" disabled={busy} onClick={onRepair}>
          Repair
        </button>
      )}
    </div>
  )
}
