import { existsSync } from 'node:fs'
import { type Collection, checkCollection } from '../collection.ts'
import { isBeir, loadBeir } from './beir.ts'
import { isLines, loadLines } from './lines.ts'
import { isLocomo, loadLocomo } from './locomo.ts'
import { isSets, loadSets } from './sets.ts'

/**
 * Reads a collection, and finds out its format.
 * @param split the split of BEIR's judgements
 * @throws Error if nothing is there, or its format is unknown
 */
export function loadCollection(path: string, split?: string): Collection {
  if (!existsSync(path))
    throw new Error(
      `There is no ${path}. LoCoMo is for research use and not part of this repository; test/src/eval/bundled is.`,
    )
  if (isLines(path)) return checkCollection(loadLines(path))
  if (isBeir(path)) return checkCollection(loadBeir(path, split))
  if (isSets(path)) return checkCollection(loadSets(path))
  if (isLocomo(path)) return checkCollection(loadLocomo(path))
  throw new Error(
    `${path} is in no known format: LoCoMo (conv-26.json …, or locomo10.json), BEIR (corpus.jsonl, queries.jsonl, qrels/) or ours (a folder with memories.jsonl and questions.jsonl, or a file of sets, *.jsonl)`,
  )
}
