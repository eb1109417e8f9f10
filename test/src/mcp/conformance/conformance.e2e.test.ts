import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startTestGateway, type TestGateway } from '@daybook/gateway/testing/test-gateway'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startKeyProxy } from './key-proxy.ts'

/*
 * The protocol's own conformance suite, pinned to a pre-release that knows the revision 2026-07-28, against the gateway. Many of
 * its scenarios call tools, resources and prompts of a server that is made for the suite (`test_simple_text`), which a product
 * does not have. Those are listed here, and each of their failures must say just that.
 */

interface Failure {
  readonly scenario: string
  readonly errorMessage?: string
}

/** Why a scenario cannot pass. */
const NOT_OURS: readonly { readonly reason: string; readonly applies: (failure: Failure) => boolean }[] = [
  {
    reason: 'asks for the extension "tasks", which is not declared',
    applies: ({ scenario }) => scenario.startsWith('tasks-'),
  },
  {
    reason: 'calls a tool, resource or prompt of the suite’s own server',
    applies: ({ scenario, errorMessage = '' }) =>
      // Without its tool, no request for input comes.
      scenario.startsWith('input-required-result-') || /\bnot found\b|Not testable/u.test(errorMessage),
  },
  {
    reason:
      'asks for completions, log levels or subscriptions without a session, which are optional and not declared',
    applies: ({ errorMessage = '' }) => /Method not found/u.test(errorMessage),
  },
]

/** The scenarios that must pass whole. What is in neither list fails. */
const APPLY: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
    'server-session-lifecycle',
    'server-sse-polling',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'input-required-result-missing-input-response',
    'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
  ],
}

const SUITE = join(
  import.meta.dirname,
  '../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

describe('MCP’s conformance suite', () => {
  let database: TestDatabase
  let running: TestGateway
  let proxy: Awaited<ReturnType<typeof startKeyProxy>>
  let output: string
  beforeAll(async () => {
    database = await (TEST_DATABASES[0] as (typeof TEST_DATABASES)[number]).start()
    running = await startTestGateway(database)
    const { url, key } = await running.newClient()
    proxy = await startKeyProxy(url, key)
    output = mkdtempSync(join(tmpdir(), 'daybook-conformance-'))
  })
  afterAll(async () => {
    proxy?.stop()
    await running?.stop()
    await database?.stop()
    rmSync(output, { recursive: true, force: true })
  })

  async function run(revision: string): Promise<ReadonlyMap<string, readonly Check[]>> {
    const folder = join(output, revision)
    const shim = pathToFileURL(join(import.meta.dirname, 'node-20.mjs')).href
    await new Promise<void>((resolve) => {
      const args = [
        '--import',
        shim,
        SUITE,
        'server',
        '--url',
        proxy.url,
        '--requirements',
        revision,
        '-o',
        folder,
      ]
      // It ends with an error where any scenario fails; the files say which.
      execFile(process.execPath, args, () => resolve())
    })
    return new Map(
      readdirSync(folder).map((name) => [
        name.replace(/^server-/u, '').replace(/-\d{4}-\d\d-\d\dT.*$/u, ''),
        JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as readonly Check[],
      ]),
    )
  }

  it.each(Object.keys(APPLY))('passes what applies in the revision %s', async (revision) => {
    const ran = await run(revision)
    const failures = [...ran].flatMap(([scenario, checks]) =>
      checks.filter(({ status }) => status === 'FAILURE').map((check) => ({ scenario, ...check })),
    )
    for (const scenario of APPLY[revision] ?? []) {
      expect([...ran.keys()]).toContain(scenario)
      expect(failures.filter((one) => one.scenario === scenario)).toEqual([])
    }
    const unexplained = failures.filter((failure) => !NOT_OURS.some(({ applies }) => applies(failure)))
    expect(unexplained).toEqual([])
    const passed = [...ran.values()].flat().filter(({ status }) => status === 'SUCCESS').length
    console.log(
      `conformance ${revision}: ${passed} checks pass in ${ran.size} scenarios; ${failures.length} ask for what a product does not have:`,
      NOT_OURS.map(({ reason, applies }) => {
        const scenarios = new Set(failures.filter(applies).map(({ scenario }) => scenario))
        return `${scenarios.size} × ${reason}`
      }).join('; '),
    )
  })
})
