import { readHash } from '@daybook/journal/chain/read-chain'
import { UnavailableError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { MOST_PLACES, placeAnswered } from '../home/common-place.ts'
import type { HomeClient } from './home-client.ts'

/**
 * The last event that the copy and the home have in common. Two journals that agree on a hash agree on everything before
 * it, so a few questions about ever closer places find it: four for a million events.
 */
export async function findCommon(
  scope: ProjectScope,
  home: HomeClient,
  copied: JournalCursor,
): Promise<number> {
  let [has, hasNot] = [0, copied.sequence + 1]
  while (hasNot - has > 1) {
    const step = Math.max(1, Math.ceil((hasNot - has - 1) / MOST_PLACES))
    const places: JournalCursor[] = []
    for (let sequence = has + step; sequence < hasNot; sequence += step) {
      const hash = await readHash(scope, sequence)
      if (hash !== null) places.push({ sequence, hash })
    }
    const { common } = await home.ask('common', { places }, placeAnswered)
    if (common !== null && !places.some(({ sequence }) => sequence === common))
      throw new UnavailableError('the home answered with a place that it was not asked about')
    const next = places.find(({ sequence }) => sequence > (common ?? has))
    has = common ?? has
    hasNot = Math.min(hasNot, next?.sequence ?? hasNot)
    if (next === undefined && step === 1) break
    if (next === undefined && common === null) break
  }
  return has
}
