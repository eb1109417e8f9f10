import { useState } from 'preact/hooks'
import type { Session } from '../api/session.ts'
import {
  type ConflictRule,
  changeFollowed,
  type FollowedProject,
  followProject,
  promote,
  repointProject,
  unfollow,
} from '../api/sync.ts'
import { Ago } from '../components/ago.tsx'
import { Badge } from '../components/badge.tsx'
import { FormDialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Field } from '../components/field.tsx'
import { formatCount, formatCounted, formatDuration } from '../components/format.ts'
import { useChange } from '../components/hooks.ts'
import { RULES, stateOf } from './sync-state.ts'

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
      <label class="choice-line">
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

/** What is known already of what is to be followed. */
export interface FollowForm {
  readonly url?: string
  /** One that is followed already: only the address and the key are asked for. */
  readonly project?: FollowedProject['project']
}

/** Asks for a home, a key and a project, and follows it. The key is in the field only, and goes when the dialog closes. */
export function FollowDialog({
  given,
  onDone,
  onClose,
}: {
  readonly given: FollowForm
  /** @param words what is followed now */
  onDone(words: string): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={given.project === undefined ? 'Follow a project' : `Follow ${given.project.name} again`}
      action="Follow"
      onClose={onClose}
      onSubmit={async (fields) => {
        const text = (name: string) => String(fields.get(name) ?? '').trim()
        if (given.project !== undefined) {
          const again = await repointProject({ id: given.project.id, url: text('url'), key: text('key') })
          return onDone(`${again.project.name} follows ${again.homeUrl} with what you gave.`)
        }
        const { followed, again, tookOver } = await followProject({
          url: text('url'),
          key: text('key'),
          project: text('project'),
          rule: text('rule') as ConflictRule,
        })
        const { name } = followed.project
        onDone(
          [
            `${name} follows ${followed.homeUrl} ${again ? 'with what you gave' : 'from now on'}.`,
            ...(tookOver ? ['It took the place of the empty project of that name, with its keys.'] : []),
          ].join(' '),
        )
      }}
    >
      <p>
        The journal of a project of another Daybook, its home, is copied to here. Reads and searches are local
        then; what is written here goes to the home, and waits here while the home cannot be reached.
      </p>
      <Field name="Address of its home">
        {(ids) => (
          <input
            {...ids}
            name="url"
            type="url"
            required
            defaultValue={given.url}
            placeholder="https://daybook.example:4000"
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </Field>
      <Field
        name="Key"
        hint="Made at the home, with the scopes READ and FOLLOW; with WRITE, too, if this Daybook is to write. It is kept here, and never shown."
      >
        {(ids) => <input {...ids} name="key" type="password" required autocomplete="new-password" />}
      </Field>
      {given.project === undefined && (
        <>
          <Field name="Project" hint="Its name or id at the home.">
            {(ids) => <input {...ids} name="project" required autocomplete="off" spellcheck={false} />}
          </Field>
          <Field
            name="Conflicts"
            hint="Changes made offline to a memory that the home has changed meanwhile."
          >
            {(ids) => (
              <select {...ids} name="rule">
                {RULES.map(({ rule, meaning }) => (
                  <option key={rule} value={rule}>
                    {meaning}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </>
      )}
    </FormDialog>
  )
}

/** Explains what it means, asks for the project's name, and makes this Daybook its home. */
function PromoteDialog({
  of: { project, homeUrl, waiting, openConflicts },
  onDone,
  onClose,
}: {
  readonly of: FollowedProject
  /** @param words what was done */
  onDone(words: string): void
  onClose(): void
}) {
  const [lost, setLost] = useState(false)
  return (
    <FormDialog
      title={`Make this Daybook the home of ${project.name}?`}
      action="Make it its home"
      dangerous={lost}
      typed={project.name}
      onSubmit={async (fields) => {
        const { epoch, former } = await promote(project.id, String(fields.get('url') ?? '').trim(), lost)
        onDone(
          `This Daybook is the home of ${project.name} now, in epoch ${epoch}. ${
            lost ? `If ${former} comes back, it is told, and follows it.` : `${former} follows it.`
          }`,
        )
      }}
      onClose={onClose}
    >
      <p>
        From then on this Daybook decides what is written, and {homeUrl} follows it. The old home has to
        agree, and everything that it has must be here first.
      </p>
      {waiting + openConflicts > 0 && !lost && (
        <p class="notice warning">
          {formatCounted(waiting, 'change')} and {formatCounted(openConflicts, 'conflict')} have not reached
          the home. It would be refused now.
        </p>
      )}
      <Field
        name="Address of this Daybook"
        hint="Where the old home finds it: not 127.0.0.1, unless both are on this machine."
      >
        {(ids) => (
          <input
            {...ids}
            name="url"
            type="url"
            required
            placeholder="https://laptop:4000"
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </Field>
      <label class="choice">
        <input type="checkbox" checked={lost} onChange={(event) => setLost(event.currentTarget.checked)} />
        <span>
          The home is lost: do not ask it
          <span class="small muted block">
            What only it has is not here then. If it comes back, it accepts nothing more, and those changes
            are sent here, one after the other. Never do this while it still takes writes and you can reach
            it.
          </span>
        </span>
      </label>
    </FormDialog>
  )
}

/** Says what would be lost, asks for the project's name, and ends following. */
function UnfollowDialog({
  of: { project, homeUrl, waiting, openConflicts },
  onDone,
  onClose,
}: {
  readonly of: FollowedProject
  /** @param words what was done */
  onDone(words: string): void
  onClose(): void
}) {
  const lost = [
    ...(waiting === 0 ? [] : [formatCounted(waiting, 'change')]),
    ...(openConflicts === 0 ? [] : [formatCounted(openConflicts, 'conflict')]),
  ].join(' and ')
  return (
    <FormDialog
      title={`Unfollow ${project.name}?`}
      action={lost === '' ? 'Unfollow' : 'Unfollow, and lose this'}
      dangerous
      typed={project.name}
      onSubmit={async () => {
        const dropped = await unfollow(project.id, lost !== '')
        onDone(
          `${project.name} is followed no more. ${
            dropped === 0
              ? `Everything is at ${homeUrl}.`
              : `${formatCounted(dropped, 'change')} had not reached ${homeUrl}, and ${dropped === 1 ? 'is' : 'are'} lost.`
          }`,
        )
      }}
      onClose={onClose}
    >
      <p>
        The copy is removed from here: journal, indexes and vectors. Keys that open only this project are
        revoked. Its home, {homeUrl}, keeps everything that it has, and it can be followed again.
      </p>
      {lost === '' ? (
        <p>Nothing would be lost: all that was written here is at the home.</p>
      ) : (
        <p class="notice error">
          {lost} {waiting + openConflicts === 1 ? 'is' : 'are'} only here, and would be lost for good. Let the
          home be reached first to keep {waiting + openConflicts === 1 ? 'it' : 'them'}.
        </p>
      )}
    </FormDialog>
  )
}
