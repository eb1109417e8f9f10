import type { PeerResults, Results } from '../results.ts'
import { meanRecall, qualityOf, share } from './tables.ts'

/** Of the peers of a run, the ones that are Daybook. */
const isDaybook = ({ name }: PeerResults) => name.startsWith('daybook')

/** A peer is as good if it finds so much of what the best finds. */
const AS_MUCH = 0.9
/** How much slower than the fastest of those Daybook may be. */
const AS_FAST = 1.5

/** The goals of the contest, each in a sentence that says whether it is met, and if not, who is first and by how much. */
export function verdict(results: Results): string[] {
  if (!results.peers.some(isDaybook)) return ['Daybook took no part in this run.']
  return [...recallGoal(results), lossGoal(results), ...speedGoal(results)]
}

function recallGoal({ peers, collections }: Results): string[] {
  const others = peers.filter((peer) => !isDaybook(peer))
  return collections.map(({ name }) => {
    const of = (peer: PeerResults) => qualityOf(peer, name)?.all.recall[1] ?? 0
    const daybook = Math.max(...peers.filter(isDaybook).map(of))
    const best = Math.max(0, ...others.map(of))
    const names = others
      .filter((peer) => of(peer) === best)
      .map((peer) => peer.name)
      .join(', ')
    const says =
      daybook > best
        ? `Daybook is first with ${share(daybook)}; next is ${names || 'nobody'} with ${share(best)}.`
        : daybook === best
          ? `Daybook and ${names} are first with ${share(best)}.`
          : `**${names} is first** with ${share(best)}, ${share(best - daybook)} before Daybook.`
    return `Recall@10 on ${name}: ${says}`
  })
}

function lossGoal({ peers }: Results): string {
  const lost = ({ faults }: PeerResults) =>
    faults === null ? null : faults.together.lost + (faults.kills?.lost ?? 0)
  const measured = peers.filter((peer) => lost(peer) !== null)
  if (measured.length === 0) return 'Lost writes were not measured in this run.'
  const daybook = measured.filter(isDaybook).map((peer) => lost(peer) ?? 0)
  const losing = measured
    .filter((peer) => (lost(peer) ?? 0) > 0)
    .map((peer) => `${peer.name} (${lost(peer)})`)
  const doubling = measured
    .filter(({ faults }) => (faults?.together.doubled ?? 0) + (faults?.kills?.doubled ?? 0) > 0)
    .map(({ name }) => name)
  const forgetting = measured.filter(({ faults }) => faults?.kills === null).map(({ name }) => name)
  const sum = daybook.reduce((all, one) => all + one, 0)
  return [
    `Lost writes: Daybook lost ${sum}.`,
    losing.length > 0
      ? `Lost some: ${losing.join(', ')}.`
      : 'No other lost any that has a disk: here Daybook is no better than they.',
    ...(doubling.length > 0 ? [`Doubled some: ${doubling.join(', ')}.`] : []),
    ...(forgetting.length > 0 ? [`Keep nothing when their process ends: ${forgetting.join(', ')}.`] : []),
  ].join(' ')
}

function speedGoal({ peers }: Results): string[] {
  const highest = Math.max(...peers.map(meanRecall))
  const asGood = peers.filter((peer) => meanRecall(peer) >= AS_MUCH * highest)
  return (peers[0]?.scales ?? []).flatMap(({ memories }, index) => {
    const of = (peer: PeerResults) => peer.scales[index]?.search.p50 ?? Number.POSITIVE_INFINITY
    const [fastest] = asGood.toSorted((a, b) => of(a) - of(b))
    if (fastest === undefined) return []
    return peers.filter(isDaybook).map((daybook) => {
      const ratio = of(daybook) / of(fastest)
      const says = ratio <= AS_FAST ? 'within' : '**beyond**'
      return `Search at ${memories.toLocaleString('en')}: ${daybook.name} takes ${ratio.toFixed(2)} × as long as ${fastest.name}, the fastest that finds ${AS_MUCH} as much as the best on average; ${says} the goal of ${AS_FAST}.`
    })
  })
}
