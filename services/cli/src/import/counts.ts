import { grouped } from '@daybook/memory/size-in-words'

/** What has become of the lines of an import. */
export interface Counts {
  readonly imported: number
  readonly alreadyThere: number
  readonly failed: number
}

export function describeCounts({ imported, alreadyThere, failed }: Counts): string {
  return [
    `${grouped(imported)} imported`,
    ...(alreadyThere > 0 ? [`${grouped(alreadyThere)} already there`] : []),
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
  ].join(', ')
}
