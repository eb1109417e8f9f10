import { useState } from 'preact/hooks'
import {
  type Generation,
  hasEnded,
  type Operation,
  type Projection,
  type ProjectionName,
  rebuild,
  rollback,
  verify,
} from '../api/operations.ts'
import { Ago, formatMoment } from '../components/ago.tsx'
import { Badge } from '../components/badge.tsx'
import { FormDialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Field } from '../components/field.tsx'
import { formatCount, formatRate } from '../components/format.ts'
import { OutcomeText } from './doctor.tsx'
import { GenerationList, RunningOperation, useProgressRate } from './generation-list.tsx'
import { outcomeOf, projectionTitle, stateOf } from './outcome.ts'

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

/** Asks how a projection is to be rebuilt, and starts that. */
function RebuildDialog({
  projection,
  model,
  onStarted,
  onClose,
}: {
  readonly projection: ProjectionName
  /** That of the live generation; null if there is none. */
  readonly model: string | null
  onStarted(operation: Operation): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Rebuild ${projectionTitle(projection)}`}
      action="Rebuild"
      onClose={onClose}
      onSubmit={async (fields) =>
        onStarted(
          await rebuild({
            projection,
            model: String(fields.get('model') ?? '').trim() || null,
            regenerateEmbeddings: fields.has('regenerate'),
            acceptParked: fields.has('accept-parked'),
          }),
        )
      }
    >
      <p>
        A new generation is built from the journal, beside the live one, and swapped in when it is complete.
        Searches and writes go on; the old generation is kept for a rollback.
      </p>
      <Field name="Embedding model" hint="Leave it empty to keep the model of the live generation.">
        {(ids) => (
          <input {...ids} name="model" placeholder={model ?? ''} autocomplete="off" spellcheck={false} />
        )}
      </Field>
      <label class="choice">
        <input type="checkbox" name="regenerate" />
        <span>
          Make all vectors again
          <span class="small muted block">Else those that are stored are used. It takes much longer.</span>
        </span>
      </label>
      <label class="choice">
        <input type="checkbox" name="accept-parked" />
        <span>
          Accept parked events
          <span class="small muted block">
            The new generation goes live even if it cannot apply events that the live one has applied.
          </span>
        </span>
      </label>
    </FormDialog>
  )
}

/** Asks whether the previous generation is to be live again. */
function RollbackDialog({
  to,
  onDone,
  onClose,
}: {
  /** The old generation that was live last. */
  readonly to: Generation
  onDone(): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Roll ${projectionTitle(to.projection)} back?`}
      action="Roll back"
      onSubmit={async () => {
        await rollback(to.projection)
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        Generation {to.generation} is live again at once, with vectors of {to.model}. It was made{' '}
        {formatMoment(to.createdAt)} and is up to date. The generation that is live now is kept.
      </p>
    </FormDialog>
  )
}
