import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take long on two cores, the longest first. They begin first, so that none is left alone at the end: vitest
 * begins with the largest files, and most of these are small. A file that is missing here only makes a run longer.
 */
const LONGEST = [
  'test/src/console/console.test.ts',
  'test/src/cli/sync.test.ts',
  'test/src/sync/secrets.test.ts',
  'test/src/console/sync.test.ts',
  'test/src/sync/homes.test.ts',
  'test/src/reindex/reindex.test.ts',
  'test/src/cli/operators.test.ts',
  'services/reindex/src/rebuild.test.ts',
  'test/src/erasure/files.test.ts',
  'test/src/isolation/isolation.test.ts',
  'test/src/docs/features.test.ts',
  'test/src/cli/operators-cluster.test.ts',
  'test/src/chaos/failover/failover.test.ts',
  'test/src/daemon/stopping.test.ts',
  'test/src/local-daemon/one-daemon.test.ts',
  'test/src/rows/row-types.test.ts',
  'test/src/eval/bundled.test.ts',
  'test/src/cli/service.test.ts',
  'test/src/crash/crash.test.ts',
  'test/src/mcp/many-clients.test.ts',
  'test/src/fuzz/fuzz.test.ts',
  'test/src/chaos/chaos.test.ts',
]

/** Runs the longest files first, the others as vitest would. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`))
      return found < 0 ? LONGEST.length : found
    }
    // oxlint-disable-next-line no-array-sort -- vitest's method, not an array's
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => place(one) - place(other))
  }
}
