/**
 * Counts the product: TypeScript of `libs` and `services` without tests, what only tests use (`testing/`), generated files and
 * blank lines. `npm run lines` prints a row for each workspace, the sum, and the files above 500 lines.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const LONGEST = 500
const GENERATED = new Set([
  'libs/api/src/schema.d.ts',
  'libs/api/src/projection-names.ts',
  'libs/api/src/queries.ts',
  'libs/api/src/mutations.ts',
  'libs/api/src/subscriptions.ts',
  'libs/postgres/src/tables.ts',
])

const files = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', 'libs/*.ts', 'services/*.ts', 'services/*.tsx'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file && !/\.test\.tsx?$|\/testing\//.test(file) && !GENERATED.has(file))

const counts = new Map()
const long = []
for (const file of files) {
  let lines
  try {
    lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.trim()).length
  } catch {
    continue // deleted, and not yet committed
  }
  const workspace = /^(libs\/(?:engines|platform)\/[^/]+|[^/]+\/[^/]+)/.exec(file)[0]
  const count = counts.get(workspace) ?? { files: 0, lines: 0 }
  counts.set(workspace, { files: count.files + 1, lines: count.lines + lines })
  if (lines > LONGEST) long.push(`${file} (${lines})`)
}

const rows = [...counts].toSorted(([, one], [, other]) => other.lines - one.lines)
const total = { files: 0, lines: 0 }
for (const [workspace, count] of rows) {
  total.files += count.files
  total.lines += count.lines
  console.log(
    `${String(count.files).padStart(5)} files ${String(count.lines).padStart(7)} lines  ${workspace}`,
  )
}
console.log(`${String(total.files).padStart(5)} files ${String(total.lines).padStart(7)} lines  in all`)
console.log(
  long.length === 0 ? `No file above ${LONGEST} lines.` : `Above ${LONGEST} lines: ${long.join(', ')}`,
)
