import { fieldName, fieldText } from './field-text.ts'
import { WordDiff } from './word-diff.tsx'

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
