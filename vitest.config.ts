import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Vite would take graphql's ES module where Node takes its CommonJS one: two copies, whose classes do not know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    include: ['libs/**/src/**/*.test.ts', 'services/*/src/**/*.test.ts', 'test/src/**/*.test.ts'],
    globalSetup: [
      'test/src/support/containers-setup.ts',
      'libs/postgres/src/testing/global-setup.ts',
      'libs/transport/src/testing/global-setup.ts',
    ],
    // Suites start real databases and models: two cores carry two of them, more only make each other time out.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
})
