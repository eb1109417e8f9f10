/** A button in a row of a table. It says what it is about to those who do not see the row. */
export function Act({
  of: { name },
  word,
  dangerous = false,
  onAct,
}: {
  readonly of: { readonly name: string }
  readonly word: string
  readonly dangerous?: boolean
  onAct(): void
}) {
  return (
    <button type="button" class={dangerous ? 'danger' : undefined} onClick={onAct}>
      {word}
      <span class="visually-hidden"> {name}</span> …
    </button>
  )
}
