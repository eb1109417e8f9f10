import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Collection, JudgedMemory } from '../collection.ts'
import { readJsonLines } from './json-lines.ts'

interface Document {
  readonly _id: string
  readonly title?: string
  readonly text?: string
}

interface Query {
  readonly _id: string
  readonly text: string
}

/** Whether a folder holds a collection in BEIR's format. */
export function isBeir(folder: string): boolean {
  return existsSync(join(folder, 'corpus.jsonl')) && existsSync(join(folder, 'queries.jsonl'))
}

/**
 * Loads a collection in the format of BEIR (Thakur et al., 2021): `corpus.jsonl`, `queries.jsonl` and
 * `qrels/<split>.tsv`. Each document becomes a memory of kind document, without a context. Documents without
 * title and text cannot be remembered and are left out, even if they are judged. Queries without a judgement
 * above 0 are not asked.
 * @param split default `test`, or the only file
 */
export function loadBeir(folder: string, split?: string): Collection {
  const judgements = readJudgements(qrelsFile(folder, split))
  const name = basename(realpathSync(folder))
  return {
    name,
    groups: [
      {
        name,
        memories: readJsonLines<Document>(join(folder, 'corpus.jsonl')).flatMap(toMemory),
        questions: readJsonLines<Query>(join(folder, 'queries.jsonl')).flatMap(({ _id: id, text }) => {
          const relevant = judgements.get(String(id))
          return relevant === undefined ? [] : [{ id: String(id), text, category: null, relevant }]
        }),
      },
    ],
  }
}

function toMemory({ _id: id, title = '', text = '' }: Document): JudgedMemory[] {
  const content = text.trim() === '' ? title : text
  if (content.trim() === '') return []
  const named = title.trim() === '' || content === title ? {} : { title: title.slice(0, 255) }
  return [{ id: String(id), input: { content: { document: { content, ...named } } } }]
}

function qrelsFile(folder: string, split: string | undefined): string {
  const place = join(folder, 'qrels')
  const files = existsSync(place) ? readdirSync(place).filter((file) => file.endsWith('.tsv')) : []
  const wanted = `${split ?? 'test'}.tsv`
  const file = files.includes(wanted) || split !== undefined || files.length !== 1 ? wanted : files[0]
  if (file === undefined || !files.includes(file))
    throw new Error(`${place} has no ${wanted}; there are: ${files.join(', ') || 'none'}`)
  return join(place, file)
}

/**
 * Reads lines of `query-id corpus-id score`, with or without a heading. Scores of 0 or less mean "not
 * relevant".
 */
function readJudgements(file: string): Map<string, Map<string, number>> {
  const byQuery = new Map<string, Map<string, number>>()
  for (const line of readFileSync(file, 'utf8').split(/\r?\n/u)) {
    const [query = '', document = '', score] = line.split('\t')
    const grade = Number(score)
    if (score === undefined || !(grade > 0)) continue
    const relevant = byQuery.get(query) ?? new Map<string, number>()
    byQuery.set(query, relevant.set(document, grade))
  }
  return byQuery
}
