import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest lane first, so that no long file is left alone at the end. */
const LANES = ['e2e', 'db', 'unit']

/**
 * Runs one lane after the other, and within a lane files as vitest would, the largest first. A worker serves one lane only: between
 * files of different lanes vitest would start a new process, which imports everything again.
 */
export default class LaneByLane extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line no-array-sort -- vitest's method, not an array's
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => lane(one) - lane(other))
  }
}

const lane = ({ project }: TestSpecification) => LANES.indexOf(project.name)
