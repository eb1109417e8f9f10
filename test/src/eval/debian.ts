import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/*
 * Makes a collection without sessions on any Debian: `npm run eval:debian -- <folder>` writes it in BEIR's
 * format. The documents are long descriptions of packages. The questions are their one-line synopses, which
 * are not in the documents, so each asks for one known document among 3,000. The descriptions are free, and
 * Debian's.
 */

const DOCUMENTS = 3_000
const QUESTIONS = 600
/** The shortest description to use: shorter ones mostly repeat the synopsis. */
const LEAST_CHARACTERS = 300

interface Package {
  readonly name: string
  readonly synopsis: string
  readonly description: string
}

const folder = process.argv[2]
if (folder === undefined || folder.startsWith('-')) {
  console.error('usage: npm run eval:debian -- <folder>')
  process.exit(2)
}
const packages = chosen(readPackages(readTranslations()))
const json = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const asked = packages.slice(0, QUESTIONS)
mkdirSync(join(folder, 'qrels'), { recursive: true })
writeFileSync(
  join(folder, 'corpus.jsonl'),
  json(packages.map(({ name, description }) => ({ _id: name, title: '', text: description }))),
)
writeFileSync(
  join(folder, 'queries.jsonl'),
  json(asked.map(({ name, synopsis }) => ({ _id: name, text: synopsis }))),
)
writeFileSync(
  join(folder, 'qrels', 'test.tsv'),
  ['query-id\tcorpus-id\tscore', ...asked.map(({ name }) => `${name}\t${name}\t1`), ''].join('\n'),
)
console.log(
  `wrote ${packages.length} documents and ${asked.length} questions. Now:  npm run eval -- --data ${folder}`,
)

/** Reads the descriptions from the archive; machines seldom keep them. */
function readTranslations(): string {
  const lists = mkdtempSync(join(tmpdir(), 'daybook-apt-'))
  try {
    mkdirSync(join(lists, 'partial'))
    execFileSync(
      'apt-get',
      ['-qq', '-o', 'Acquire::Languages=en', '-o', `Dir::State::lists=${lists}`, 'update'],
      { stdio: 'inherit' },
    )
    const files = readdirSync(lists).filter((file) => file.includes('_i18n_Translation-en'))
    if (files.length === 0) throw new Error('apt has no descriptions in English')
    return files
      .map((file) =>
        execFileSync('/usr/lib/apt/apt-helper', ['cat-file', join(lists, file)], {
          encoding: 'utf8',
          maxBuffer: 2 ** 28,
        }),
      )
      .join('\n')
  } finally {
    rmSync(lists, { recursive: true, force: true })
  }
}

function readPackages(text: string): Package[] {
  return text.split(/\n\n+/u).flatMap((entry) => {
    const name = /^Package: (.+)$/mu.exec(entry)?.[1]
    const [, synopsis, body] = /^Description-en: (.*)\n((?: .*\n?)*)/mu.exec(entry) ?? []
    if (name === undefined || synopsis === undefined || body === undefined) return []
    const description = body
      .split('\n')
      .map((line) => (line === ' .' ? '' : line.slice(1)))
      .join('\n')
      .trim()
    return description.length < LEAST_CHARACTERS ? [] : [{ name, synopsis, description }]
  })
}

/**
 * Chooses packages in an order independent of their names. If several share a text or a synopsis, it takes
 * only the first.
 */
function chosen(all: readonly Package[]): Package[] {
  const seen = new Set<string>()
  const isNew = (text: string) => !seen.has(text) && Boolean(seen.add(text))
  const place = ({ name }: Package) => createHash('sha256').update(name).digest('hex')
  return all
    .toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
    .filter(({ synopsis, description }) => [synopsis, description].map(isNew).every(Boolean))
    .slice(0, DOCUMENTS)
}
