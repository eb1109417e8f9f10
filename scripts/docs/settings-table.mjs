import { table } from './table.mjs'

const { describeSettings } = await import('@daybook/runtime/settings')

/** Every setting, from their schema. */
export const settingsTable = () =>
  table(
    ['setting', 'type', 'default', 'meaning'],
    describeSettings().map(({ name, type, default: standard, description }) => [
      `\`${name}\``,
      type,
      standard === null ? 'none' : `\`${standard}\``,
      description,
    ]),
  )
