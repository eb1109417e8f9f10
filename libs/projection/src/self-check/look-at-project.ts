import { verifyPart } from '@daybook/journal/chain/verify-part'
import { readChangedMemories } from '@daybook/journal/read/read'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { readDivergence } from '../positions/divergence.ts'
import { readPosition } from '../positions/positions.ts'
import type { ComparedIndexes, Verifiable } from '../verify/verifiable.ts'
import { type Difference, repairProject } from '../verify/verify-project.ts'
import type { DueProject, Look } from './self-checks.ts'

/**
 * Events per stretch; a look compares the memories of two stretches. The embedded database takes about 40 ms
 * for a hundred memories, and everybody else waits meanwhile.
 */
const PAGE = 50

/**
 * In a project of at most so many events every look also compares the indexes over all memories. In a larger
 * one only a look at the end of a walk does.
 */
const SMALL = 500

/** Events after the first sequence and up to the second. */
type Stretch = readonly [number, number]

/** The result of a look that found nothing to repair. */
const UNSEEN = { differed: 0, unhealed: 0, example: null }

/** What a look covers besides the projection. */
export interface LookOptions {
  /** Whether to verify the hash chain of the events too. */
  readonly journal: boolean
  readonly signal: AbortSignal
}

/**
 * Compares a part of a project with the journal: the memories of its newest events, and those of the next
 * events of a walk. The walk goes through all events and starts again at the end, where the indexes over all
 * memories are compared too. Memories that differ are rewritten and compared again. Where one differs, more
 * may: the walk then goes through the whole project without resting.
 */
export async function lookAtProject(
  scope: ProjectScope,
  verifiable: Verifiable,
  { walked, hurried }: Pick<DueProject, 'walked' | 'hurried'>,
  { journal, signal }: LookOptions,
): Promise<Look> {
  // It holds events that are not of this journal. Its projector takes it back first.
  if ((await readDivergence(scope, verifiable)) !== null)
    return { ...UNSEEN, walked, hurried, begins: false, journalProblem: null }
  const position = await readPosition(scope.db, verifiable, scope.projectId)
  const from = walked < position ? walked : 0
  const upTo = Math.min(from + PAGE, position)
  const stretches: Stretch[] = [
    [from, upTo],
    [Math.max(position - PAGE, upTo), position],
  ]
  const look = {
    walked: upTo,
    begins: from === 0,
    journalProblem: journal ? await journalProblem(scope, stretches) : null,
  }
  // The indexes first: what is damaged between the two comparisons is then found, and counted, as memories.
  const indexes: ComparedIndexes =
    upTo === position || position <= SMALL
      ? await verifiable.compareIndexes(scope, signal)
      : { problems: [], memoryIds: [] }
  const differences = await differencesIn(scope, verifiable, stretches)
  for (const memoryId of indexes.memoryIds)
    if (!differences.has(memoryId)) differences.set(memoryId, { memoryId, differs: ['words'] })

  const rest = Math.max(0, hurried - PAGE)
  const found = differences.size > 0 ? differences.size : indexes.problems.length
  if (found === 0) return { ...UNSEEN, ...look, hurried: rest }
  const left = await repairProject(
    scope,
    verifiable,
    { differences: [...differences.values()], indexProblems: indexes.problems },
    { signal },
  )
  const [first] = differences.values()
  return {
    ...look,
    // A difference that cannot be repaired is no reason to hurry for ever.
    hurried: found > left.length ? position : rest,
    differed: found,
    unhealed: left.length,
    example:
      first === undefined ? (indexes.problems[0] ?? null) : `${first.memoryId} (${first.differs.join(', ')})`,
  }
}

async function journalProblem(scope: ProjectScope, stretches: readonly Stretch[]): Promise<string | null> {
  for (const [after, upTo] of stretches) {
    const [problem] = after < upTo ? await verifyPart(scope, after, upTo) : []
    if (problem !== undefined) return problem.message
  }
  return null
}

async function differencesIn(
  scope: ProjectScope,
  verifiable: Verifiable,
  stretches: readonly Stretch[],
): Promise<Map<string, Difference>> {
  const ids = new Set<string>()
  for (const [after, upTo] of stretches) {
    for (const id of await readChangedMemories(scope, { after, upTo })) ids.add(id)
  }
  if (ids.size === 0) return new Map()
  const { memories } = await verifiable.compare(scope, [...ids])
  return new Map(
    memories
      .filter(({ differs }) => differs.length > 0)
      .map(({ memoryId, differs }): [string, Difference] => [memoryId, { memoryId, differs }]),
  )
}
