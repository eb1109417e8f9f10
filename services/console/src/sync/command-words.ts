/** What a change is called, by the type of its command. */
const WORDS: Readonly<Record<string, string>> = {
  remember: 'Remember',
  revise: 'Revise',
  forget: 'Forget',
  restore: 'Bring back',
  undo: 'Take back',
  resolveTodo: 'Resolve',
  reopenTodo: 'Reopen',
  closeSession: 'Close',
}

/** The fields that a command sets, with their names as in an event. */
export interface CommandField {
  readonly field: string
  readonly value: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** What was to be done, in a word or two. @param command as it was given, unchecked */
export function commandName(command: unknown): string {
  const { type, version, toVersion } = fieldsOf(command)
  const word = WORDS[String(type)] ?? String(type)
  const back = version ?? toVersion
  return typeof back === 'number' && back > 0 ? `${word} version ${back.toLocaleString()}` : word
}

/** The kind of the memory that was to be remembered, in small letters; null for anything else. */
export function kindOf(command: unknown): string | null {
  const { kind } = fieldsOf(fieldsOf(fieldsOf(command)['input'])['content'])
  return typeof kind === 'string' ? kind.toLowerCase() : null
}

/** The fields that were to be set; none for what sets none, such as forgetting. */
export function commandFields(command: unknown): readonly CommandField[] {
  const { content, onExisting: _, ...common } = fieldsOf(fieldsOf(command)['input'])
  return Object.entries({ ...fieldsOf(fieldsOf(content)['fields']), ...common })
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => ({ field, value }))
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
