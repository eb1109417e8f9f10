import { grouped } from '@daybook/memory/size-in-words'

/** What became of the memories of an import. */
export interface Counts {
  readonly imported: number
  /** Memories of this Daybook that a file changed. */
  readonly revised: number
  readonly alreadyThere: number
  readonly failed: number
}

/** The counts in words, without those that are 0. */
export function describeCounts({ imported, revised, alreadyThere, failed }: Counts): string {
  return [
    `${grouped(imported)} imported`,
    ...(revised > 0 ? [`${grouped(revised)} revised`] : []),
    ...(alreadyThere > 0 ? [`${grouped(alreadyThere)} already there`] : []),
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
  ].join(', ')
}
