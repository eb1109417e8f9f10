import { type QueueState, readQueueState } from '@daybook/embeddings/queue-worker'
import { ENGINES, PROJECTIONS } from '@daybook/engines/engines'
import { listOperations } from '@daybook/operations/read'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import type { Engine, EngineReport } from '@daybook/projection/engine/engine'
import {
  type GenerationState,
  listGenerations,
  liveGeneration,
} from '@daybook/projection/generations/generations'
import { readSelfChecks, type SelfCheckState } from '@daybook/projection/self-check/self-checks'
import { LONGEST_IDLE_REST_MS } from '@daybook/projection/self-check/start-self-check'
import { pause } from '@daybook/runtime/backoff'
import { reasonOf } from '@daybook/runtime/reason-of'
import { liveEngines } from '../open-search-engines.ts'
import { type Check, type CheckedParts, type Finding, failed, ok, warning, worst } from './check.ts'

/** The engines outside Postgres. */
export const OUTER_ENGINES = ENGINES.filter(({ inspect }) => inspect !== undefined)

/** Inspects a configured engine; null if nothing was ever written there. */
export async function lookAtEngine(
  engine: Engine,
  { db, config }: Pick<CheckedParts, 'db' | 'config'>,
): Promise<EngineReport | null> {
  const live = await liveGeneration(db, engine.name)
  return live === null ? null : ((await engine.inspect?.(config, live)) ?? null)
}

/** Checks each engine that is configured and was written to. The settings check covers the others. */
export async function checkEngines(parts: CheckedParts): Promise<Check[]> {
  const looks = OUTER_ENGINES.filter((engine) => engine.isConfigured(parts.config)).map(async (engine) => {
    try {
      const report = await lookAtEngine(engine, parts)
      if (report === null) return []
      const { status, message, advice } = report
      return [{ name: engine.name, status, message, advice }]
    } catch (error) {
      // One that cannot be looked at hides no other.
      parts.logger.warn({ error, engine: engine.name }, 'an engine could not be looked at')
      const finding = failed(`It could not be looked at: ${reasonOf(error)}`, 'The gateway’s log says more')
      return [{ name: engine.name, ...finding }]
    }
  })
  return (await Promise.all(looks)).flat()
}

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
            ? 'It is being made again from the journal:  daybook operations'
            : `The reindex service makes it again by itself; why it has not yet:  daybook operations  Or now:  daybook reindex ${projection}`,
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

/** How long to watch the queue for progress, and how often to look, in milliseconds. */
const WATCH_MS = 2_500

const LOOK_MS = 250

/** Checks that texts get their vectors; null without an embedder. */
export async function checkVectors({ db, config }: CheckedParts): Promise<Finding | null> {
  if (config.embedder === 'none') return null
  const before = await readQueueState(db)
  let after = before
  for (let waited = 0; isStill(before, after) && waited < WATCH_MS; waited += LOOK_MS) {
    await pause(LOOK_MS)
    after = await readQueueState(db)
  }
  return judgeQueue(before, after)
}

const fresh = (state: QueueState): number => state.queued - state.failed

const isStill = (before: QueueState, after: QueueState): boolean =>
  fresh(after) > 0 && after.leased === 0 && fresh(after) === fresh(before)

/** Judges the queue of texts by two looks at it. */
export function judgeQueue(before: QueueState, after: QueueState): Finding {
  if (after.failed > 0)
    return warning(
      `${after.failed} texts could not be embedded, such as: ${after.failure}`,
      'They are retried automatically, less and less often; at once with:  daybook backfill',
    )
  if (after.queued === 0) return ok('Every text has its vectors')
  return isStill(before, after)
    ? warning(
        `${after.queued} texts wait for vectors, and nobody makes them`,
        'Projectors make them: is one running, with an embedder for the live generation’s model (DAYBOOK_EMBEDDER)?',
      )
    : ok(`${after.queued} texts wait for vectors, which are being made`)
}

/** How long a repair is reported, in milliseconds. */
const TOLD_MS = 24 * 3_600_000

/** How long nobody may have looked, in milliseconds, beyond the longest rest; at least, and as a multiple of the setting. */
const IDLE_MS = 60_000

const IDLE_TIMES = 12

/** Reports what the projectors' self-check found recently, and whether it runs. */
export async function checkSelfCheck({ db, config }: CheckedParts): Promise<Finding> {
  const findings: Finding[] = []
  for (const {
    engine: { name },
    live,
  } of await liveEngines(db, config)) {
    const state = await readSelfChecks(db, { name, generation: live.generation })
    findings.push(judgeSelfCheck(name, state, config.selfCheckMs))
  }
  return worst(
    findings,
    config.selfCheckMs === 0
      ? ok('Off (DAYBOOK_SELF_CHECK): only `daybook verify` compares indexes with the journal')
      : ok('What was looked at is as the journal says'),
  )
}

/** Judges what the self-check of a projection noted. */
export function judgeSelfCheck(
  name: string,
  { idleMs, differed, differedMs, example, unhealed, journalProblem }: SelfCheckState,
  everyMs: number,
): Finding {
  if (journalProblem !== null)
    return failed(
      `The journal is damaged, in project ${journalProblem}`,
      'Nothing can mend that from within. See all of it:  daybook verify --journal  – then restore a backup (docs/upkeep.md)',
    )
  if (unhealed > 0)
    return failed(
      `${unhealed} memories of ${name} differ from the journal and could not be mended, such as ${example}`,
      `Its projector’s log says more. Make it again:  daybook reindex ${name}`,
    )
  if (differedMs !== null && differedMs < TOLD_MS)
    return warning(
      `${differed} memories of ${name} differed from the journal and were rewritten, the last ${age(differedMs)} ago: ${example}`,
      `It has mended itself. Something else writes where only its projector should; prove the rest:  daybook verify ${name}`,
    )
  if (
    everyMs > 0 &&
    idleMs !== null &&
    idleMs > LONGEST_IDLE_REST_MS + Math.max(IDLE_MS, everyMs * IDLE_TIMES)
  )
    return warning(
      `Nobody has compared ${name} with the journal for ${age(idleMs)}`,
      `Its projector does: is one running, with DAYBOOK_SELF_CHECK as here?  npm run start:projector-${name}`,
    )
  return ok(`What was looked at of ${name} is as the journal says`)
}

const age = (ms: number): string =>
  ms < 120_000
    ? `${Math.round(ms / 1_000)} s`
    : ms < 7_200_000
      ? `${Math.round(ms / 60_000)} min`
      : `${Math.round(ms / 3_600_000)} h`
