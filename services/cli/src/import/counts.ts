import { grouped } from '@daybook/memory/size-in-words'

/** How many lines of an import were imported, were there already, or failed. */
export interface Counts {
  readonly imported: number
  readonly alreadyThere: number
  readonly failed: number
}

/** The counts in words. */
export function describeCounts({ imported, alreadyThere, failed }: Counts): string {
  return [
    `${grouped(imported)} imported`,
    ...(alreadyThere > 0 ? [`${grouped(alreadyThere)} already there`] : []),
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
  ].join(', ')
}
