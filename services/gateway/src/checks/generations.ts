import { listOperations } from '@daybook/operations/read'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { type GenerationState, listGenerations } from '@daybook/projection/generations/generations'
import { PROJECTIONS } from '../projection-names.ts'
import { type CheckedParts, type Finding, failed, ok, warning, worst } from './check.ts'

/**
 * An old generation this late was forgotten, in milliseconds: the service that deletes them looks every
 * second.
 */
const LATE_MS = 3_600_000

/** Checks that each projection has a live generation, and reports the other generations. */
export async function checkGenerations({ db, config }: CheckedParts): Promise<Finding> {
  const generations = (await Promise.all(PROJECTIONS.map((name) => listGenerations(db, name)))).flat()
  const active = await listOperations(db, { first: 20, active: true })
  return judgeGenerations(generations, {
    rebuilding: active.filter(({ type }) => type === 'reindex').map(({ projection }) => projection ?? ''),
    keepMs: config.keepGenerationMs,
    now: Date.now(),
  })
}

/** Judges the generations of all projections. */
export function judgeGenerations(
  generations: readonly GenerationState[],
  { rebuilding, keepMs, now }: { rebuilding: readonly string[]; keepMs: number; now: number },
): Finding {
  const findings: Finding[] = []
  const old: string[] = []
  if (!generations.some(({ projection, status }) => projection === PGVECTOR && status === 'live'))
    findings.push(
      failed('There is no read model', 'Start its projector once:  npm run start:projector-pgvector'),
    )
  for (const { projection, generation, status, retiredAt, unusable } of generations) {
    const name = `generation ${generation} of ${projection}`
    const kept = now - Date.parse(retiredAt ?? '')
    if (status === 'live' && unusable !== null)
      findings.push(
        failed(
          `${name} is unusable: ${unusable}`,
          rebuilding.includes(projection)
            ? 'It is being made anew from the journal:  daybook operations'
            : `The reindex service makes it anew by itself; why it has not yet:  daybook operations  Or now:  daybook reindex ${projection}`,
        ),
      )
    if (status === 'old') old.push(name)
    if (status === 'old' && kept > keepMs + LATE_MS)
      findings.push(warning(`${name} should have been deleted by now`, STARTED))
    if ((status === 'building' || status === 'following') && !rebuilding.includes(projection))
      findings.push(
        warning(
          `${name} is left over from a rebuild`,
          `The next one deletes it:  daybook reindex ${projection}`,
        ),
      )
  }
  const fine =
    old.length === 0
      ? ok('Each projection has one, and it is live')
      : ok(
          `Kept for a rollback, and up to date: ${old.join(', ')}`,
          'If you need none:  daybook reindex --drop-old',
        )
  return worst(findings, fine)
}

const STARTED = 'The reindex service deletes it: is one running?  npm run start:reindex'
