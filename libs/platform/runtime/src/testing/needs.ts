/** Something that tests need and that a machine may lack, such as a server. */
export interface Need {
  /** `native Postgres` */
  readonly name: string
  /** Why it is not there, and how to get it, in a sentence; null if it is there. */
  readonly problem: string | null
  /** Whether the tests are left out even with `DAYBOOK_TEST_REQUIRE=all`, since not every machine can have it. Default false. */
  readonly optional?: boolean
}

/** The folder in which a run's processes note what the reporter prints at its end (`test/end-reporter.ts`). */
export const TEST_RUN = 'DAYBOOK_TEST_RUN'

/**
 * What tests may use of the machine: `all` makes whatever is missing a failure, `none` lets them look for nothing, as on a bare machine.
 * Default: what is there.
 */
export const TEST_REQUIRE = 'DAYBOOK_TEST_REQUIRE'

/** Whether tests act as if nothing were installed here. */
export const isBare = () => process.env[TEST_REQUIRE] === 'none'

/** A need of a server that `infra/debian/install` installs. */
export const ofServer = (name: string, problem: string | null): Need => ({
  name,
  problem: problem === null ? null : `${problem}. Run infra/debian/install.`,
})
