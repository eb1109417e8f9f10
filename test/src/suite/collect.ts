import { createVitest } from 'vitest/node'
import { filesWithoutReason } from '../../end-reporter.ts'

/*
 * Collects the tests of all files that may need a server, and runs none. Prints what is wrong with a file as a line each; its exit code
 * is 1 then.
 */

const vitest = await createVitest('test', {
  watch: false,
  reporters: [],
  project: ['db', 'e2e'],
  maxWorkers: 1,
})
const { testModules, unhandledErrors } = await vitest.collect()
const problems = [
  ...unhandledErrors.map(String),
  ...testModules.flatMap((module) =>
    module.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`),
  ),
  ...filesWithoutReason(testModules),
]
console.log(`${testModules.length} files`, ...problems.map((problem) => `\n${problem}`))
await vitest.close()
process.exit(problems.length === 0 && testModules.length > 0 ? 0 : 1)
