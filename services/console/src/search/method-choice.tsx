import type { Method } from './settings.ts'

const MODES = [
  ['HYBRID', 'Words and meaning'],
  ['KEYWORD', 'Words only'],
  ['SEMANTIC', 'Meaning only'],
] as const
const ENGINES = [
  ['AUTO', 'Any engine'],
  ['POSTGRES', 'Postgres'],
  ['TYPESENSE', 'Typesense'],
] as const
const RANKINGS = [
  ['DEFAULT', 'Usual ranking'],
  ['RRF', 'Rank fusion (RRF)'],
] as const

/** Chooses how a search is made. @param name of the group, for screen readers */
export function MethodChoice({
  name,
  method,
  onChoose,
}: {
  readonly name: string
  readonly method: Method
  onChoose(method: Method): void
}) {
  return (
    <div class="method" role="group" aria-label={name}>
      <Choice
        label="Mode"
        value={method.mode}
        options={MODES}
        onChoose={(mode) => onChoose({ ...method, mode })}
      />
      <Choice
        label="Engine"
        value={method.engine}
        options={ENGINES}
        onChoose={(engine) => onChoose({ ...method, engine })}
      />
      <Choice
        label="Ranking"
        value={method.ranking}
        options={RANKINGS}
        onChoose={(ranking) => onChoose({ ...method, ranking })}
      />
    </div>
  )
}

function Choice<Value extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, words: string])[]
  onChoose(value: Value): void
}) {
  return (
    <label>
      <span class="visually-hidden">{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value as Value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}
