import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'
import { lanes } from './test/lanes.ts'
import LongestFirst from './test/longest-first.ts'
import { keepTemporaryFilesInMemory } from './test/memory-folder.ts'

keepTemporaryFilesInMemory()

const { unit, servers, alone } = lanes()

/** Of both lanes with servers. */
const WITH_SERVERS = {
  globalSetup: [
    'test/src/support/containers-setup.ts',
    'libs/postgres/src/testing/global-setup.ts',
    'libs/transport/src/testing/global-setup.ts',
  ],
  setupFiles: ['test/patience.ts'],
  expect: { poll: { timeout: 30_000 } },
  testTimeout: 120_000,
  hookTimeout: 120_000,
}

export default defineConfig({
  // Vite would take graphql's ES module where Node takes its CommonJS one: two copies, whose classes do not know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    // Two cores: suites that start servers wait as long as they work. With two the machine was half idle; with four each took 1.5 times
    // as long, and the whole no less.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/budget-reporter.ts'],
    projects: [
      {
        extends: true,
        // Beside tests that start servers a property test may wait for its turn.
        test: { name: 'unit', include: unit, pool: 'threads', isolate: false, testTimeout: 30_000 },
      },
      {
        extends: true,
        test: { ...WITH_SERVERS, name: 'servers', include: servers, pool: 'forks', isolate: false },
      },
      {
        extends: true,
        test: { ...WITH_SERVERS, name: 'alone', include: alone, pool: 'forks' },
      },
    ],
  },
})
