import { table } from './table.mjs'

const { SETTINGS } = await import('@daybook/runtime/settings')
const { describeSettings } = await import('@daybook/runtime/settings/setting')

/** Every setting, from their schema. */
export const settingsTable = () =>
  table(
    ['setting', 'type', 'default', 'meaning'],
    describeSettings(SETTINGS).map(({ name, type, default: standard, description }) => [
      `\`${name}\``,
      type,
      standard === null ? 'none' : `\`${standard}\``,
      description,
    ]),
  )
