import type { Means } from './measures.ts'

/** All that a run measured, as written to `contest.json`. The page is made of nothing else. */
export interface Results {
  /** The version of this format. */
  readonly version: 1
  /** What followed `npm run contest --`. */
  readonly options: readonly string[]
  /** When it began, in RFC 3339. */
  readonly at: string
  readonly minutes: number
  readonly commit: string | null
  readonly machine: Machine
  readonly collections: readonly CollectionFacts[]
  readonly peers: readonly PeerResults[]
  /** Peers that could not take part, each with the reason. */
  readonly absent: readonly { readonly name: string; readonly why: string }[]
  readonly transfer: readonly TransferResult[]
}

/** The machine, and how busy it was. */
export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  readonly node: string
  /** The load of one minute when the run began and ended. Above the number of cores, times are too long. */
  readonly load: readonly [number, number]
}

/** What was stored and asked. */
export interface CollectionFacts {
  readonly name: string
  readonly memories: number
  readonly questions: number
  readonly neverTold: number
}

/** What was measured of one peer. Null where it was not measured, or cannot be. */
export interface PeerResults {
  readonly name: string
  readonly version: string
  readonly quality: readonly QualityResult[]
  readonly findable: FindableResult | null
  readonly scales: readonly ScaleResult[]
  /** The load of the machine when its speed had been measured, itself included. */
  readonly load: number
  readonly faults: FaultResult | null
}

/** How well it finds what is in a collection. */
export interface QualityResult {
  readonly collection: string
  readonly all: Means
  readonly kinds: Readonly<Record<string, Means>>
  /** The share of the questions about what nobody told that were answered with nothing; null if none were asked. */
  readonly nothing: number | null
  /** Bytes of an answer of ten as an agent gets it, on average. */
  readonly bytes: number
}

/** Milliseconds. */
export interface Times {
  readonly p50: number
  readonly p95: number
}

/** How soon a memory is found. */
export interface FindableResult {
  /** From the call until the write was acknowledged. */
  readonly acknowledged: Times
  /** From then until a search by a word of it, or by what it means without such a word, had found it. */
  readonly byWords: FoundTimes
  readonly byMeaning: FoundTimes
}

/** How many of those that were looked for were among ten hits in time, and how soon; no times if none was. */
export interface FoundTimes {
  readonly found: number
  readonly of: number
  readonly times: Times | null
}

/** What it takes with so many memories. */
export interface ScaleResult {
  readonly memories: number
  readonly search: Times
  /** Processor milliseconds of all its processes for a search. */
  readonly searchCpuMs: number
  /** Of its processes together, each shared page counted once, at the highest that was seen. */
  readonly memoryMb: number
  /** How much its files grew for each memory; null if it keeps none. */
  readonly diskKb: number | null
  /** Memories stored in a second, and the processor milliseconds for one, embedding included; null where the vectors were given. */
  readonly storedPerSecond: number | null
  readonly storeCpuMs: number | null
}

/** What it loses. Null for what it cannot do. */
export interface FaultResult {
  /** Of writes by eight at once, without a fault. */
  readonly together: Counted
  /** Over all kills, each while eight write. */
  readonly kills: (Counted & { readonly rounds: number }) | null
  /** Memories that were deleted, and how many of them were found again after a kill. */
  readonly deleted: { readonly memories: number; readonly foundAgain: number } | null
}

/** Acknowledged writes, those of them that are not there, and memories that are there twice. */
export interface Counted {
  readonly acknowledged: number
  readonly lost: number
  readonly doubled: number
}

/** How well a collection is ranked with weights that were fitted with and without it. */
export interface TransferResult {
  readonly collection: string
  readonly questions: number
  /** nDCG@10 and recall@10 by the weights that are shipped, by weights fitted on all collections here, and on all but this one. */
  readonly shipped: Ranked
  readonly fittedOnAll: Ranked
  readonly fittedWithout: Ranked
}

/** Two measures of an order. */
export interface Ranked {
  readonly recall10: number
  readonly ndcg10: number
}
