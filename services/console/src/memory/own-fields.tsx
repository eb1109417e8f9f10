import { type KindName, kindNamed } from '@daybook/memory/kinds/index'
import type { WholeMemory } from '../api/memory.ts'
import { fieldName, fieldText } from '../components/field-text.ts'

/** The fields of the memory's kind, in the kind's order. What they say is text, whatever it looks like. */
export function OwnFields({ memory }: { readonly memory: WholeMemory }) {
  const { fields } = kindNamed(memory.kind.toLowerCase() as KindName)
  const shown = Object.keys(fields).filter((field) => memory.own[field] !== undefined)
  return (
    <section class="card own-fields" aria-label="What it says">
      {shown.map((field) => (
        <div key={field}>
          {shown.length > 1 && <h2 class="field-name">{fieldName(field)}</h2>}
          <Value value={memory.own[field]} />
        </div>
      ))}
    </section>
  )
}

function Value({ value }: { readonly value: unknown }) {
  if (!Array.isArray(value)) return <div class="memory-text">{fieldText(value)}</div>
  return (
    <ul class="memory-list">
      {value.map((one, index) => (
        <li key={index}>{String(one)}</li>
      ))}
    </ul>
  )
}
