import { grouped } from '@daybook/memory/size-in-words'

/** A number with its noun: `1 change`, `2 changes`. @param plural default the noun with an s */
export const counted = (number: number, noun: string, plural = `${noun}s`): string =>
  `${grouped(number)} ${number === 1 ? noun : plural}`
