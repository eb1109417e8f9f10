import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'
import LaneByLane from './test/lane-by-lane.ts'
import { prepareRun } from './test/prepare-run.ts'

prepareRun()

/** Of a test and of its hooks, and so of whatever they wait for. Far beyond what any takes: only one that hangs meets it. */
const LIMIT_MS = 600_000

const within = (files: string) => [`{libs,services,test}/**/${files}`]

/** Of both lanes with servers. Files share processes one after the other: to import the parts of a server takes 1.2 s of CPU time. */
const WITH_SERVERS = {
  pool: 'forks' as const,
  globalSetup: 'test/src/support/global-setup.ts',
}

export default defineConfig({
  // Vite would take graphql's ES module where Node takes its CommonJS one: two copies, whose classes do not know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    // Two cores: suites that start servers wait as long as they work. With three the machine was idle for a fifth of the time.
    maxWorkers: 4,
    sequence: { sequencer: LaneByLane },
    reporters: ['default', './test/end-reporter.ts'],
    isolate: false,
    // Keeps what is transformed: the collection beside a run and the next run take a fifth less processor time for it.
    experimental: { fsModuleCache: true },
    setupFiles: ['test/patience.ts'],
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: 500_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: within('*.test.ts'),
          exclude: [...within('*.{db,e2e}.test.ts'), '**/node_modules/**', '**/dist/**'],
          pool: 'threads',
        },
      },
      { extends: true, test: { ...WITH_SERVERS, name: 'db', include: within('*.db.test.ts') } },
      {
        extends: true,
        test: {
          ...WITH_SERVERS,
          name: 'e2e',
          include: within('*.e2e.test.ts'),
          globalSetup: [WITH_SERVERS.globalSetup, 'test/src/support/bundle-services.ts'],
        },
      },
    ],
  },
})
