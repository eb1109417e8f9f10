import type { VerifiedProject } from '@daybook/operations/operation-types'
import { listSucceeded } from '@daybook/operations/read'
import type { OperationHandler, Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { countParked } from '@daybook/projection/apply/parked-events'
import { type Generation, liveGeneration } from '@daybook/projection/generations/generations'
import { readDivergence } from '@daybook/projection/positions/divergence'
import type { Verifiable } from '@daybook/projection/verify/verifiable'
import { repairProject, type Verification, verifyProject } from '@daybook/projection/verify/verify-project'
import {
  countMemories,
  type KnownProject,
  type Projections,
  projectionOf,
  readComparedProjects,
} from '../projects.ts'

/** The most differences listed per project; a broken index would otherwise list every memory. */
const NAMED = 100

/**
 * Compares the live generation with the journal, project by project, and rewrites what differs if asked to.
 * It keeps no state of its own, so after a crash it starts over.
 */
export function handleVerify(db: Database, projections: Projections): OperationHandler<'verify'> {
  return {
    async run(work) {
      const { options, projection } = work.operation
      const rebuildable = projectionOf(projections, projection)
      const generation = await liveGeneration(db, rebuildable.name)
      if (generation === null) return { clean: true, projects: [] }
      const since = options.incremental ? await verifiedUpTo(db, generation) : new Map<string, number>()
      const verifiable = rebuildable.check(generation)
      const projects: VerifiedProject[] = []
      let done = 0
      // Only the comparison itself tells how many have changed.
      const total = options.incremental ? null : await countMemories(db, options.projectId)
      await work.report({ phase: 'comparing', done: 0, total })
      for (const project of await readComparedProjects(db, verifiable, options.projectId)) {
        const onProgress = async (memories: number) => {
          done += memories
          await work.report({ done })
        }
        projects.push(
          await verifyOne(project, verifiable, {
            ...options,
            since: since.get(project.id) ?? 0,
            work,
            onProgress,
          }),
        )
      }
      return {
        generation: generation.generation,
        clean: projects.every(isClean),
        parked: projects.reduce((sum, one) => sum + one.parked, 0),
        different: projects.reduce((sum, one) => sum + one.different, 0),
        repaired: projects.reduce((sum, one) => sum + one.repaired, 0),
        projects,
      }
    },
  }
}

async function verifyOne(
  { scope, id, name }: KnownProject,
  verifiable: Verifiable,
  options: {
    since: number
    repair: boolean
    work: Work
    onProgress: (memories: number) => Promise<void>
  },
): Promise<VerifiedProject> {
  const { since, repair, work, onProgress } = options
  const { signal } = work
  let verified: Verification = await verifyProject(scope, verifiable, { since, signal, onProgress })
  const found = verified.differences.length
  const lost = await lostEnd(scope, verifiable)
  // Events that the journal has lost may exist only here: a repair would delete them.
  if (repair && lost.length === 0 && (found > 0 || verified.indexProblems.length > 0)) {
    await work.report({ phase: `repairing ${name}` })
    const differences = await repairProject(scope, verifiable, verified, { signal })
    const { problems } = await verifiable.compareIndexes(scope, signal)
    verified = { ...verified, differences, indexProblems: problems }
    await work.report({ phase: 'comparing' })
  }
  const { position, memories, journalDigest, projectionDigest, differences, indexProblems, pending } =
    verified
  return {
    projectId: id,
    project: name,
    position,
    memories,
    journalDigest,
    projectionDigest,
    different: differences.length,
    differences: differences.slice(0, NAMED),
    indexProblems: [...lost, ...indexProblems],
    pending,
    parked: await countParked(scope, verifiable),
    repaired: found - differences.length,
  }
}

/** Whether nothing differs and nothing was left out of the comparison. */
const isClean = ({ different, indexProblems, parked }: VerifiedProject): boolean =>
  different === 0 && indexProblems.length === 0 && parked === 0

/** Says whether the journal has lost its end: a position proves that an event was once there. */
async function lostEnd(scope: ProjectScope, verifiable: Verifiable): Promise<string[]> {
  const diverged = await readDivergence(scope, verifiable)
  if (diverged === null) return []
  const { position, head } = diverged
  return [
    position.sequence > head.sequence
      ? `the journal lost its end: it ends at ${head.sequence}, and the projection had applied it up to ${position.sequence}`
      : `the journal has another event at ${position.sequence} than the projection had applied there`,
  ]
}

/** How many past verifications to search for the last clean one of each project. */
const LOOKED_AT = 20

/** Finds, by project, the sequence up to which the last clean verification of this generation reached. */
async function verifiedUpTo(
  db: Database,
  { projection, generation }: Generation,
): Promise<Map<string, number>> {
  const upTo = new Map<string, number>()
  // The oldest first, so that later ones win; each may have covered only one project.
  for (const { result } of (await listSucceeded(db, 'verify', projection, LOOKED_AT)).toReversed()) {
    if (result === null || result.generation !== generation) continue
    for (const one of result.projects)
      if (isClean(one)) upTo.set(one.projectId, one.position)
      else upTo.delete(one.projectId)
  }
  return upTo
}
