import { KIND_NAMES, type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { useRef, useState } from 'preact/hooks'
import { type RememberedMemory, remember } from '../api/memory.ts'
import { Dialog, FormDialog } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { memoryAddress } from '../components/format.ts'
import { MemoryFacts } from '../components/memory-facts.tsx'
import { type Draft, draftFields, toMemory } from './draft.ts'
import { DraftControl } from './revise-form.tsx'

/** Asks for a memory, remembers it, and says what it came to. @param text what it says at first */
export default function AddMemory({ text, onClose }: { readonly text: string; onClose(): void }) {
  const [kind, setKind] = useState<KindName>('note')
  const [draft, setDraft] = useState<Draft>({ main: text })
  const [remembered, setRemembered] = useState<RememberedMemory | null>(null)
  const answered = useRef(false)
  const { own, common } = draftFields({ kind })
  const main = `content.${kindNamed(kind).mainField}`
  // What is in the main field stays when the kind changes, though its name does not.
  const keyOf = (field: string) => (field === main ? 'main' : field)
  const fields = [
    ...own.filter(({ field, required }) => required || field === main),
    ...common.filter(({ field }) => field === 'labels' || field === 'context'),
  ]
  if (remembered !== null) return <Remembered remembered={remembered} onClose={onClose} />
  return (
    <FormDialog
      title="Add a memory"
      action="Remember"
      onSubmit={async () => {
        const given = fields.map(({ field }) => [field, draft[keyOf(field)] ?? ''] as const)
        setRemembered(await remember(toMemory(kind, Object.fromEntries(given))))
        answered.current = true
      }}
      onClose={() => {
        // The form closes when it has worked, and the answer takes its place.
        if (!answered.current) onClose()
      }}
    >
      <Field name="Kind" hint={kindNamed(kind).description}>
        {(ids) => (
          <select {...ids} value={kind} onChange={(event) => setKind(event.currentTarget.value as KindName)}>
            {KIND_NAMES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      {fields.map((field) => (
        <DraftControl
          key={keyOf(field.field)}
          field={field}
          value={draft[keyOf(field.field)] ?? ''}
          isFirst={field.field === main}
          onType={(value) => setDraft((typed) => ({ ...typed, [keyOf(field.field)]: value }))}
        />
      ))}
    </FormDialog>
  )
}

const TITLES: Readonly<Record<RememberedMemory['outcome'], string>> = {
  REMEMBERED: 'Remembered',
  REVISED: 'The same thing was remembered already: it has a new version',
  RESTORED: 'It was forgotten, and is back as you gave it',
  UNCHANGED: 'It was remembered already, just so',
}

/** What remembering came to: the memory, and those that say the same. */
function Remembered({
  remembered: { memory, outcome, sameText, similar },
  onClose,
}: {
  readonly remembered: RememberedMemory
  onClose(): void
}) {
  const alike = [
    ...similar.hits,
    // What is so new that it has no vector yet is known by its id alone.
    ...sameText.filter((id) => !similar.hits.some((hit) => hit.memory.id.endsWith(id))),
  ]
  return (
    <Dialog title={TITLES[outcome]} onClose={onClose}>
      <div class="form">
        <p>
          <a href={memoryAddress(memory.id)}>{memory.title}</a>
        </p>
        {alike.length > 0 && (
          <section class="notice warning" aria-label="What says the same">
            <p>The same, or nearly the same, is remembered already. Forget one if one is enough:</p>
            <ul class="beside-list">
              {alike.map((one) =>
                typeof one === 'string' ? (
                  <li key={one}>
                    <a href={memoryAddress(one)}>{one}</a>
                  </li>
                ) : (
                  <li key={one.memory.id}>
                    <MemoryFacts
                      memory={one.memory}
                      besides={
                        sameText.some((id) => one.memory.id.endsWith(id))
                          ? 'the same text'
                          : `cosine ${one.score.toFixed(2)}`
                      }
                    />
                  </li>
                ),
              )}
            </ul>
          </section>
        )}
        <div class="form-actions">
          <button type="button" class="primary" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  )
}
