import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/size-in-words'
import { EXIT } from '../exit-codes.ts'
import { print, printJson } from '../output/print.ts'
import { shorten } from '../output/shorten.ts'
import type { Connection } from '../settings.ts'
import { type Additions, withAdditions } from './foreign-lines.ts'
import type { ForeignFile, KeyedInput } from './formats/format.ts'
import { compareWithMemory } from './memory-in-daybook.ts'

/** How many memories a preview shows. */
const SHOWN = 5

/** Columns of a shown memory. */
const WIDTH = 100

/** Reads a foreign file and says what an import would do. It writes nothing. */
export async function preview({
  file,
  connection,
  additions,
  json,
}: {
  readonly file: ForeignFile
  readonly connection: Connection
  readonly additions: Additions
  readonly json: boolean
}): Promise<void> {
  const kinds: Record<string, number> = {}
  const first: KeyedInput[] = []
  const problems: { where: string; message: string }[] = []
  const existing = { revised: 0, alreadyThere: 0 }
  let found = 0
  for await (const item of file.read()) {
    if ('problem' in item) {
      problems.push({ where: item.where, message: item.problem })
      continue
    }
    const input = withAdditions(item.input, additions)
    const comparison = item.id === undefined ? 'unknown' : await compareWithMemory(connection, item.id, input)
    if (comparison === 'same') existing.alreadyThere += 1
    if (comparison === 'changed') existing.revised += 1
    if (comparison === 'forgotten')
      problems.push({ where: item.where, message: `${item.id} is forgotten here` })
    if (comparison !== 'unknown') continue
    found += 1
    const kind = Object.keys(input.content)[0] ?? ''
    kinds[kind] = (kinds[kind] ?? 0) + 1
    if (first.length < SHOWN) first.push(input)
  }
  if (problems.length > 0) process.exitCode = EXIT.failed
  if (json)
    return printJson({ format: file.format.name, memories: found, kinds, ...existing, first, problems })
  const counts = Object.entries(kinds).map(
    ([kind, count]) => `${grouped(count)} ${kind}${count === 1 ? '' : 's'}`,
  )
  print(`${file.format.name}: ${counts.join(', ') || 'no new memory'}`)
  if (existing.revised > 0) print(`${grouped(existing.revised)} memories of this Daybook would be revised`)
  if (existing.alreadyThere > 0) print(`${grouped(existing.alreadyThere)} are as their files say`)
  for (const { content, context, labels } of first) {
    const [fields = {}] = Object.values(content)
    const facts = [
      ...(context == null ? [] : [`in ${context}`]),
      ...(labels ?? []).map((label) => `#${label}`),
    ]
    print(`  ${shorten(safeLine([...Object.values(fields), ...facts].join('  ')), WIDTH)}`)
  }
  if (found > SHOWN) print(`  and ${grouped(found - SHOWN)} more`)
  for (const { where, message } of problems) print(`${safeLine(where)}: ${safeLine(message)}`)
  print('Nothing was written. Run it without --dry-run to import.')
}
