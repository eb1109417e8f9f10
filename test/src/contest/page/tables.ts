import { mean } from '../../eval/metrics.ts'
import { COLLECTIONS } from '../collections.ts'
import { CONTESTANTS } from '../contestants.ts'
import { DEPTHS } from '../measures.ts'
import { PUBLISHED } from '../published.ts'
import type { Counted, FoundTimes, PeerResults, QualityResult, Results, Times } from '../results.ts'

/** A table of the page. Cells are plain text; in a column of `best`, the best are set off. */
export interface PageTable {
  readonly title: string
  /** A sentence or two on how to read it. */
  readonly note: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The columns where a number is better the higher or the lower it is. */
  readonly best?: Readonly<Record<number, 'high' | 'low'>>
}

const NONE = '–'

/** A share from 0 to 1 as `.123`. */
export const share = (value: number | null | undefined): string =>
  value === null || value === undefined ? NONE : value.toFixed(3).replace(/^0/u, '')

const plain = (value: number | null | undefined): string =>
  value === null || value === undefined ? NONE : value.toLocaleString('en', { maximumFractionDigits: 1 })

const times = (value: Times | null | undefined): string =>
  value === null || value === undefined ? NONE : `${plain(value.p50)} / ${plain(value.p95)}`

const foundIn = (value: FoundTimes | undefined): string =>
  value === undefined || value.found === value.of
    ? times(value?.times)
    : `${times(value.times)} (${value.found} of ${value.of})`

/** What a peer found of a collection; undefined if it was not asked. */
export const qualityOf = (peer: PeerResults, collection: string): QualityResult | undefined =>
  peer.quality.find((one) => one.collection === collection)

/** The mean of recall@10 by memories over all collections, each counted once. */
export const meanRecall = ({ quality }: PeerResults): number =>
  mean(quality.map(({ all }) => all.recall[1] ?? 0))

/** All tables, in the order of the page. */
export function tablesOf(results: Results): PageTable[] {
  const { peers, collections } = results
  return [
    found(results),
    ...collections
      .flatMap(({ name }) => [depth(peers, name), kinds(peers, name)])
      .filter((one) => one !== null),
    answers(results),
    speed(peers),
    costs(peers),
    faults(peers),
    ...(results.transfer.length === 0 ? [] : [transfer(results)]),
    takingPart(results),
    settings(results),
    published(),
  ]
}

const columns = (from: number, to: number, best: 'high' | 'low'): Record<number, 'high' | 'low'> =>
  Object.fromEntries(Array.from({ length: to - from }, (_, index) => [from + index, best]))

function found({ peers, collections }: Results): PageTable {
  return {
    title: 'Recall@10 by memories',
    note: 'The share of a question’s memories among the first ten hits; the mean over questions. A memory of LoCoMo is one turn, not its session.',
    head: ['', ...collections.map(({ name }) => name), 'mean'],
    rows: peers.map((peer) => [
      peer.name,
      ...collections.map(({ name }) => share(qualityOf(peer, name)?.all.recall[1])),
      share(meanRecall(peer)),
    ]),
    best: columns(1, collections.length + 2, 'high'),
  }
}

function depth(peers: readonly PeerResults[], collection: string): PageTable {
  const first = peers[0] && qualityOf(peers[0], collection)
  const bySession = first?.all.sessions !== null && first !== undefined
  const depths = (what: string) => DEPTHS.map((k) => `${what}@${k}`)
  return {
    title: `${collection}: ${COLLECTIONS.find(({ name }) => name === collection)?.what ?? ''}`,
    note: bySession
      ? '“sessions”: the same hits, counted as most published figures do: a session is found when any memory of it is, whatever that says.'
      : 'It has no sessions.',
    head: ['', ...depths('recall'), ...(bySession ? depths('sessions') : []), 'nDCG@10', 'MRR'],
    rows: peers.map((peer) => {
      const all = qualityOf(peer, collection)?.all
      const sessions = bySession ? DEPTHS.map((_, index) => share(all?.sessions?.[index])) : []
      return [
        peer.name,
        ...DEPTHS.map((_, index) => share(all?.recall[index])),
        ...sessions,
        share(all?.ndcg10),
        share(all?.mrr),
      ]
    }),
    best: columns(1, DEPTHS.length * (bySession ? 2 : 1) + 3, 'high'),
  }
}

function kinds(peers: readonly PeerResults[], collection: string): PageTable | null {
  const names = Object.entries((peers[0] && qualityOf(peers[0], collection)?.kinds) ?? {})
  if (names.length < 2) return null
  return {
    title: `${collection}: recall@10 by kind of question`,
    note: 'Under each kind, how many questions were asked.',
    head: ['', ...names.map(([name, { questions }]) => `${name} (${questions})`)],
    rows: peers.map((peer) => [
      peer.name,
      ...names.map(([name]) => share(qualityOf(peer, collection)?.kinds[name]?.recall[1])),
    ]),
    best: columns(1, names.length + 1, 'high'),
  }
}

function answers({ peers, collections }: Results): PageTable {
  const asked = collections.filter(({ neverTold }) => neverTold > 0)
  return {
    title: 'Answers: nothing where nothing was told, and how much an agent reads',
    note: 'First the share of questions about what nobody told that were answered with nothing (of LoCoMo: questions of the other conversations). Then the bytes of an answer of ten: of Daybook the text of its MCP tool, of server-memory all that its calls return, of the others their answer as JSON.',
    head: [
      '',
      ...asked.map(({ name }) => `nothing: ${name}`),
      ...collections.map(({ name }) => `bytes: ${name}`),
    ],
    rows: peers.map((peer) => [
      peer.name,
      ...asked.map(({ name }) => share(qualityOf(peer, name)?.nothing)),
      ...collections.map(({ name }) => plain(qualityOf(peer, name)?.bytes)),
    ]),
    best: columns(1, asked.length + 1, 'high'),
  }
}

const sizesOf = (peers: readonly PeerResults[]) => peers[0]?.scales.map(({ memories }) => memories) ?? []

function speed(peers: readonly PeerResults[]): PageTable {
  const sizes = sizesOf(peers)
  return {
    title: 'Speed, in milliseconds: p50 / p95',
    note: 'A search is a question of ten hits that was never asked before, embedding included, over HTTP (Daybook), MCP (server-memory) or a pipe (all others). “Found” is after the acknowledgement, with searches one after another, by a word of the memory and by its meaning without such a word; with how many of ten memories were among ten hits within three seconds, unless all were. The texts are 8 to 24 words of the bundled memories, drawn as often as they are there; questions are 4 to 12 of them.',
    head: [
      '',
      'write acknowledged',
      'found by words',
      'found by meaning',
      ...sizes.map((size) => `search at ${plain(size)}`),
    ],
    rows: peers.map(({ name, findable, scales }) => [
      name,
      times(findable?.acknowledged),
      foundIn(findable?.byWords),
      foundIn(findable?.byMeaning),
      ...scales.map(({ search }) => times(search)),
    ]),
    best: columns(1, sizes.length + 4, 'low'),
  }
}

function costs(peers: readonly PeerResults[]): PageTable {
  const sizes = sizesOf(peers)
  return {
    title: 'What it takes',
    note: 'Of all processes of a peer. Memory is the most that was seen, each page that processes share counted once; a library is in a process with tsx, as `minisearch` shows, and with MiniLM if it has vectors. Stored: the first memories, which each embeds itself. Disk: growth of its files for a memory, write-ahead logs too. Load: of the machine when this was measured, the peer’s own included; two cores are busy at 2.',
    head: [
      '',
      'stored/s',
      'CPU ms to store one',
      ...sizes.flatMap((size) => [
        `CPU ms a search at ${plain(size)}`,
        `MB at ${plain(size)}`,
        `KB on disk a memory at ${plain(size)}`,
      ]),
      'load',
    ],
    rows: peers.map(({ name, scales, load }) => [
      name,
      plain(scales[0]?.storedPerSecond),
      plain(scales[0]?.storeCpuMs),
      ...scales.flatMap(({ searchCpuMs, memoryMb, diskKb }) => [
        plain(searchCpuMs),
        plain(memoryMb),
        plain(diskKb),
      ]),
      plain(load),
    ]),
    best: { 1: 'high', ...columns(2, 3 + sizes.length * 3, 'low') },
  }
}

const counted = (value: Counted | null | undefined): string[] =>
  value === null || value === undefined
    ? [NONE, NONE]
    : [`${value.lost} of ${plain(value.acknowledged)}`, String(value.doubled)]

function faults(peers: readonly PeerResults[]): PageTable {
  const rounds = peers.find(({ faults: one }) => one?.kills)?.faults?.kills?.rounds ?? 0
  return {
    title: `Faults: eight write at once, and ${rounds} × kill -9 of all processes meanwhile`,
    note: 'Acknowledged writes that are not there afterwards, and memories that are there twice. A write without an answer is repeated under its id. – keeps nothing when its process ends. What server-memory loses, it loses without a kill: its calls read, change and write one file, side by side.',
    head: [
      '',
      'lost, no fault',
      'doubled',
      'lost, killed',
      'doubled',
      'deleted, and found again after a kill',
    ],
    rows: peers.map(({ name, faults: one }) => [
      name,
      ...counted(one?.together),
      ...counted(one?.kills),
      one?.deleted ? `${one.deleted.foundAgain} of ${one.deleted.memories}` : NONE,
    ]),
  }
}

function transfer({ transfer: fitted }: Results): PageTable {
  return {
    title: 'Transfer: Daybook’s ranking with weights that never saw the collection',
    note: 'The shipped weights (`libs/search/src/ranking/late/terms.ts`) were fitted on LoCoMo’s five conversations, Cranfield, Debian’s package descriptions and the bundled memories; those of words and time again on LoCoMo, the bundled memories and the seen half of the daily set. The small memories decided how much a rare word counts (measurements.md). Only the languages are new to the ranking. Beside them, weights fitted here by the same softmax over the candidates of a question, on all of these collections and on all but the one in the row. The candidates are the best hundred by the shipped weights, so what these leave out, no weights bring back; questions that are answered by a memory’s key, or without a word that the model knows, have nothing to weigh and are left out.',
    head: [
      '',
      'questions',
      'shipped: recall@10',
      'nDCG@10',
      'fitted on all: recall@10',
      'nDCG@10',
      'fitted without it: recall@10',
      'nDCG@10',
    ],
    rows: fitted.map(({ collection, questions, shipped, fittedOnAll, fittedWithout }) => [
      collection,
      String(questions),
      ...[shipped, fittedOnAll, fittedWithout].flatMap(({ recall10, ndcg10 }) => [
        share(recall10),
        share(ndcg10),
      ]),
    ]),
  }
}

function takingPart({ peers, absent }: Results): PageTable {
  return {
    title: 'Who takes part',
    note: 'The same texts, the same questions and the same all-MiniLM-L6-v2 in fp32 for all that have vectors, one after another. A memory is its text and its day, as plain text, for all but Daybook, which has a field for the day and for the session.',
    head: ['', 'version', 'what it is'],
    rows: [
      ...peers.map(({ name, version }) => [
        name,
        version || NONE,
        CONTESTANTS.find((one) => one.name === name)?.what ?? NONE,
      ]),
      ...absent.map(({ name, why }) => [name, 'left out', why]),
    ],
  }
}

function settings({ peers }: Results): PageTable {
  return {
    title: 'Settings',
    note: 'Each with where its own documentation has it.',
    head: ['', 'setting', 'source'],
    rows: CONTESTANTS.filter(({ name }) => peers.some((one) => one.name === name)).flatMap((one) =>
      one.settings.map(({ what, source }) => [one.name, what, source]),
    ),
  }
}

function published(): PageTable {
  return {
    title: 'What others published of systems that cannot run here',
    note: 'They need a language model’s API, Python or a service. Look at what was counted before you compare: whole sessions are found far more easily than turns, as the tables above show, and an answer of a language model is another thing again.',
    head: ['system', 'collection', 'figure', 'what was counted', 'source'],
    rows: PUBLISHED.map(({ system, collection, figure, counted: what, source }) => [
      system,
      collection,
      figure,
      what,
      source,
    ]),
  }
}
