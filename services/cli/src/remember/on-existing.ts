import type { InputOf } from '@daybook/api/graphql'
import { ON_EXISTING } from '@daybook/memory/kinds/kind'
import { Option } from 'commander'

/** The option that says what to do if the same thing is remembered already. */
export const onExistingOption = (): Option =>
  new Option(
    '--on-existing <what>',
    'If the same kind, key and context is remembered already (default: revise; for decisions keep-both).',
  ).choices(ON_EXISTING.map((word) => word.toLowerCase().replaceAll('_', '-')))

/** What was given for it, in the API's spelling. */
export const toOnExisting = (given: string | undefined): InputOf<'OnExisting'> | undefined =>
  given?.toUpperCase().replaceAll('-', '_') as InputOf<'OnExisting'> | undefined
