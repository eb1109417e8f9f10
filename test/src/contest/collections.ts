import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Collection, limitQuestions } from '../eval/collection.ts'
import { loadCollection } from '../eval/formats/load.ts'
import { withUnanswerable } from '../eval/unanswerable.ts'
import { REPOSITORY } from '../support/daemon.ts'

/** The path of a collection of this repository. */
export const bundled = (path: string) => fileURLToPath(new URL(`../eval/${path}`, import.meta.url))

/** LoCoMo is for research use only, so it is not in this repository. `DAYBOOK_LOCOMO` names the user's own copy. */
const LOCOMO = process.env['DAYBOOK_LOCOMO'] ?? join(REPOSITORY, '../shared/locomo')

/** How many questions about what nobody told LoCoMo has, of those that other conversations answer. */
const NEVER_TOLD = 100

const evenly = <One>(all: readonly One[], count: number): One[] =>
  all.filter(
    (_, index) => Math.floor(((index + 1) * count) / all.length) > Math.floor((index * count) / all.length),
  )

/** A collection of the contest, by the name that the page has for it. */
export interface Entry {
  readonly name: string
  readonly what: string
  readonly path: string
}

/** All, the one with sessions first. Of the daily set it is the half that was seen when the ranking was made. */
export const COLLECTIONS: readonly Entry[] = [
  {
    name: 'LoCoMo',
    what: 'long conversations of two people, a turn a memory, sessions as contexts',
    path: LOCOMO,
  },
  {
    name: 'daily',
    what: 'what a developer and their agents leave in some weeks (`test/src/eval/daily/seen`)',
    path: bundled('daily/seen'),
  },
  { name: 'bundled', what: 'memories of every kind (`test/src/eval/bundled`)', path: bundled('bundled') },
  {
    name: 'small',
    what: 'five to fifty memories, asked without their words',
    path: bundled('bundled/small-memories.jsonl'),
  },
  { name: 'languages', what: 'eight languages, a store each', path: bundled('bundled/languages.jsonl') },
]

/**
 * Loads those that are here.
 * @param limit the most questions of a collection, taken evenly
 */
export function loadCollections(limit: number): { collections: Collection[]; missing: Entry[] } {
  const missing = COLLECTIONS.filter(({ path }) => !existsSync(path))
  const collections = COLLECTIONS.filter((entry) => !missing.includes(entry)).map(({ name, path }) => {
    const limited = { ...limitQuestions(loadCollection(path), limit), name }
    if (limited.groups.length < 2 || name !== 'LoCoMo') return limited
    const each = Math.ceil(NEVER_TOLD / limited.groups.length)
    const { groups } = withUnanswerable(limited, null)
    return {
      name,
      groups: groups.map((group) => ({ ...group, unanswerable: evenly(group.unanswerable ?? [], each) })),
    }
  })
  return { collections, missing }
}
