import { useState } from 'preact/hooks'
import { readDiff } from '../api/version-diff.ts'
import { ErrorNotice } from './error-notice.tsx'
import { fieldName, fieldText } from './field-text.ts'
import { useLatest } from './use-latest.ts'
import { WordDiff } from './word-diff.tsx'

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
  if (diff == null) return <p class="small muted">Loading …</p>
  const textDiffers = diff.text.some(({ change }) => change !== 'SAME')
  const fields = diff.changed.filter(
    ({ field, before, after }) =>
      !(textDiffers && field.startsWith('content.') && (isText(before) || isText(after))),
  )
  return (
    <div class="version-changes">
      {textDiffers && <WordDiff parts={diff.text} />}
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
