import { useState } from 'preact/hooks'
import { readDiff } from '../api/memory.ts'
import { Ago } from './ago.tsx'
import { NotShared } from './badge.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { fieldName, fieldText } from './field.tsx'
import { memoryAddress } from './format.ts'
import { useLatest } from './hooks.ts'

/** A memory as lists name it. */
interface NamedMemory {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly agent: string | null
  readonly context: string | null
  readonly occurredAt: string | null
  readonly createdAt: string
  readonly shared: boolean
}

/** A memory's title, which leads to its page, and what is known of it, in two lines. */
export function MemoryFacts({
  memory: { id, kind, title, agent, context, occurredAt, createdAt, shared },
  besides,
}: {
  readonly memory: NamedMemory
  /** What else there is to say, such as how near it is. */
  readonly besides?: string
}) {
  return (
    <>
      <a class="memory-title" href={memoryAddress(id)}>
        {title}
      </a>
      <p class="small muted hit-facts">
        <span class="tag">{kind.toLowerCase()}</span>
        <Ago moment={occurredAt ?? createdAt} />
        {context !== null && <span>in {context}</span>}
        {agent !== null && <span>by {agent}</span>}
        {!shared && <NotShared />}
        {besides !== undefined && <span>{besides}</span>}
      </p>
    </>
  )
}

/** What differs between two states of a memory, as the API says it. */
interface StateDiff {
  readonly changed: readonly {
    readonly field: string
    readonly before: unknown
    readonly after: unknown
  }[]
  readonly text: readonly { readonly change: 'SAME' | 'REMOVED' | 'ADDED'; readonly text: string }[]
}

/** What differs, by words; fields that are no part of the text by their values. */
export function StateChanges({ diff: { changed, text } }: { readonly diff: StateDiff }) {
  const textDiffers = text.some(({ change }) => change !== 'SAME')
  const fields = changed.filter(
    ({ field, before, after }) =>
      !(textDiffers && field.startsWith('content.') && (isText(before) || isText(after))),
  )
  return (
    <div class="version-changes">
      {textDiffers && <WordDiff parts={text} />}
      {fields.length > 0 && (
        <dl class="facts">
          {fields.map(({ field, before, after }) => (
            <div key={field}>
              <dt>{fieldName(field)}</dt>
              <dd>
                <del>{fieldText(before)}</del> → <ins>{fieldText(after)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

const isText = (value: unknown): boolean => typeof value === 'string'

/** What a version changed against another one, by words; fields that are no part of the text by their values. */
export function VersionChanges({
  id,
  version,
  from = version - 1,
}: {
  readonly id: string
  readonly version: number
  /** Default: the version before it. */
  readonly from?: number
}) {
  const [again, setAgain] = useState(0)
  const { answer, error } = useLatest(
    `${id} ${from} ${version}`,
    async (signal) => ({ diff: await readDiff(id, { from, to: version }, signal) }),
    again,
  )
  if (error !== null) return <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />
  const diff = answer?.diff
  return diff == null ? <p class="small muted">Loading …</p> : <StateChanges diff={diff} />
}

/** A part of a text, and whether both versions have it. */
interface TextPart {
  readonly change: 'SAME' | 'REMOVED' | 'ADDED'
  readonly text: string
}

/** What stays of a long passage that did not change, in characters at each end that touches a change. */
const CONTEXT = 160

/** Two versions of a text as one, word by word: what went is struck through, what came is underlined. */
function WordDiff({ parts }: { readonly parts: readonly TextPart[] }) {
  return (
    <pre class="word-diff">
      {parts.map(({ change, text }, index) => {
        if (change === 'REMOVED') return <del key={index}>{text}</del>
        if (change === 'ADDED') return <ins key={index}>{text}</ins>
        return <span key={index}>{shorten(text, index > 0, index < parts.length - 1)}</span>
      })}
    </pre>
  )
}

function shorten(text: string, afterChange: boolean, beforeChange: boolean): string {
  const [head, tail] = [afterChange ? CONTEXT : 0, beforeChange ? CONTEXT : 0]
  // By code points, so that no character is cut in two.
  const points = Array.from(text)
  if (points.length <= head + tail + CONTEXT) return text
  return `${points.slice(0, head).join('')} … ${tail === 0 ? '' : points.slice(-tail).join('')}`
}
