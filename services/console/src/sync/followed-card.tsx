import { useState } from 'preact/hooks'
import type { Session } from '../api/session.ts'
import { type ConflictRule, changeFollowed, type FollowedProject } from '../api/sync.ts'
import { Ago } from '../components/ago.tsx'
import { Badge } from '../components/badge.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatCount, formatCounted, formatDuration } from '../components/format.ts'
import { useChange } from '../components/use-change.ts'
import type { FollowForm } from './follow-dialog.tsx'
import { PromoteDialog } from './promote-dialog.tsx'
import { RULES } from './rules.ts'
import { stateOf } from './sync-state.ts'
import { UnfollowDialog } from './unfollow-dialog.tsx'

/** One followed project: its state, its home, how far the copy is, what waits here, and what one can do. */
export function FollowedCard({
  followed,
  session,
  opens,
  isCurrent,
  onFollow,
  onDone,
  onChange,
}: {
  readonly followed: FollowedProject
  readonly session: Session
  /** Whether the session's key opens the project. */
  readonly opens: boolean
  /** Whether it is the project that the page is about. */
  readonly isCurrent: boolean
  onFollow(form: FollowForm): void
  /** @param words what was done */
  onDone(words: string): void
  onChange(): void
}) {
  const { project, homeUrl, state, problem, rule, movedTo, openConflicts, followedSince, epoch } = followed
  const [asking, setAsking] = useState<'promote' | 'unfollow' | null>(null)
  const change = useChange()
  const set = (to: Parameters<typeof changeFollowed>[1]) =>
    void change.run(async () => {
      await changeFollowed(project.id, to)
      onChange()
    })
  const { tone, word, meaning } = stateOf(followed)
  const ofProject = <span class="visually-hidden"> {project.name}</span>
  const others = `/console/sync?project=${encodeURIComponent(project.name)}`
  return (
    <section class="card projection" aria-labelledby={`followed-${project.id}`}>
      <div class="section-head">
        <h2 id={`followed-${project.id}`}>{project.name}</h2>
        <Badge tone={tone}>{word}</Badge>
      </div>
      <p class="small muted hit-facts">
        <span>
          home <code>{homeUrl}</code>
        </span>
        <span>
          begun <Ago moment={followedSince} />
        </span>
        <span>epoch {formatCount(epoch)}</span>
      </p>
      <p class="small">{meaning}</p>
      {problem !== null && state !== 'CONNECTED' && <p class="reason">{problem}</p>}
      <dl class="figures">
        <Figure name="Copied">
          {formatCount(followed.copied)} of {formatCount(Math.max(followed.copied, followed.homeSequence))}
        </Figure>
        <Figure name="Behind" wrong={followed.lagEvents > 0}>
          {formatCounted(followed.lagEvents, 'event')}
          {state !== 'CONNECTED' && <span class="small muted block">{lastComplete(followed)}</span>}
        </Figure>
        <Figure name="Not shared yet" wrong={followed.waiting > 0 && state !== 'CONNECTED'}>
          {formatCount(followed.waiting)}
          {followed.waitingSince !== null && (
            <span class="small muted block">
              the oldest <Ago moment={followed.waitingSince} />
            </span>
          )}
        </Figure>
        <Figure name="Conflicts" wrong={openConflicts > 0}>
          {openConflicts === 0 || isCurrent ? (
            formatCount(openConflicts)
          ) : opens ? (
            <a href={others}>{formatCounted(openConflicts, 'conflict')}</a>
          ) : (
            formatCount(openConflicts)
          )}
        </Figure>
      </dl>
      {!opens && (
        <p class="small muted">
          The key “{session.key}” does not open this project: make one that does under “Keys and projects”, to
          read it and to decide its conflicts.
        </p>
      )}
      {change.error !== null && <ErrorNotice error={change.error} />}
      <label class="rule-choice">
        <span class="small muted">In a conflict</span>
        <select
          aria-label={`In a conflict of ${project.name}`}
          value={rule}
          disabled={change.busy}
          onChange={(event) => set({ rule: event.currentTarget.value as ConflictRule })}
        >
          {RULES.map((one) => (
            <option key={one.rule} value={one.rule}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      <div class="actions">
        <button type="button" disabled={change.busy} onClick={() => set({ paused: state !== 'PAUSED' })}>
          {state === 'PAUSED' ? 'Resume' : 'Pause'}
          {ofProject}
        </button>
        {session.wholeDaybook && (
          <>
            {(state === 'REFUSED' || state === 'MOVED') && (
              <button
                type="button"
                class="primary"
                onClick={() => onFollow({ url: movedTo ?? homeUrl, project })}
              >
                Follow again{ofProject} …
              </button>
            )}
            <button type="button" onClick={() => setAsking('promote')}>
              Make this its home<span class="visually-hidden">: {project.name}</span> …
            </button>
            <button type="button" class="danger" onClick={() => setAsking('unfollow')}>
              Unfollow{ofProject} …
            </button>
          </>
        )}
      </div>
      {asking === 'promote' && (
        <PromoteDialog of={followed} onDone={onDone} onClose={() => setAsking(null)} />
      )}
      {asking === 'unfollow' && (
        <UnfollowDialog of={followed} onDone={onDone} onClose={() => setAsking(null)} />
      )}
    </section>
  )
}

const lastComplete = ({ lagSeconds }: FollowedProject): string =>
  lagSeconds === null ? 'never complete yet' : `complete ${formatDuration(Math.floor(lagSeconds))} ago`

function Figure({
  name,
  wrong = false,
  children,
}: {
  readonly name: string
  readonly wrong?: boolean
  readonly children: preact.ComponentChildren
}) {
  return (
    <div>
      <dt class="small muted">{name}</dt>
      <dd class={wrong ? 'wrong' : undefined}>{children}</dd>
    </div>
  )
}
