import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'
import { lanes } from './test/lanes.ts'

const { unit, servers } = lanes()

export default defineConfig({
  // Vite would take graphql's ES module where Node takes its CommonJS one: two copies, whose classes do not know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    // Suites start real databases and models: two cores carry two of them, more only make each other time out.
    maxWorkers: 2,
    reporters: ['default', './test/budget-reporter.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: unit, pool: 'threads', isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: servers,
          globalSetup: [
            'test/src/support/containers-setup.ts',
            'libs/postgres/src/testing/global-setup.ts',
            'libs/transport/src/testing/global-setup.ts',
          ],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
