import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../../..')

/** A type assertion makes a domain value of anything, unchecked. */
const ASSERTION =
  /\bas (?:unknown as )?(?:Command|MemoryState|StateAfter|EventData|EventPayload|JournalEvent)\b/u

/** Where one may stand, and why. */
const ALLOWED: Readonly<Record<string, string>> = {
  'libs/memory/src/decode/decode-command.ts': 'it is the decoder',
  'libs/memory/src/decode/decode-event.ts': 'it is the decoder',
  'libs/sync/src/branch/branch-commands.ts':
    'of kept commands, which toRequest decodes before anything is decided',
  'libs/sync/src/follower/route-to-homes.ts': 'of a receipt that is passed on, of which only the id is sent',
  'services/cli/src/commands/remember.ts': 'is a command line, not a command',
}

it('only the decoders make commands, states and events of unchecked values', () => {
  const listed = execFileSync('git', ['ls-files', 'libs', 'services'], { cwd: ROOT, encoding: 'utf8' })
  const files = listed.split('\n').filter((file) => file.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(500)
  const found = files.filter(
    (file) =>
      !/\.test\.ts$|\/testing\/|\.contract\.ts$/u.test(file) &&
      ASSERTION.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(found.toSorted()).toEqual(Object.keys(ALLOWED).toSorted())
})
