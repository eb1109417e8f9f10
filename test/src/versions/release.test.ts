import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { VERSION } from '@daybook/runtime/version'
import { buildSchema, findBreakingChanges } from 'graphql'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { REPOSITORY } from '../support/daemon.ts'
import { brokenShape, brokenSurface, presentSurface, shapeOf } from './public-surface.ts'
import { releasedFile, releasedVersions } from './released.ts'

/* What a release promises of its version (docs/versions.md), and what is released by. */

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8')

/** Whether a version may break what an earlier one promised: with a higher major number; below 1.0.0, a higher minor one. */
function mayBreak(earlier: string, later: string): boolean {
  const [[major = 0, minor = 0], [laterMajor = 0, laterMinor = 0]] = [earlier, later].map((version) =>
    version.split('.').map(Number),
  ) as [number[], number[]]
  return laterMajor > major || (laterMajor === 0 && major === 0 && laterMinor > minor)
}

/** Both were printed by graphql, so it need not check them. */
const parsed = (schema: string) => buildSchema(schema, { assumeValidSDL: true, noLocation: true })

/** What a schema takes away from clients of an earlier one. */
const broken = (earlier: string, later: string) =>
  findBreakingChanges(parsed(earlier), parsed(later)).map(({ description }) => description)

test('the API breaks no client of the last release, unless the version says so', () => {
  const last = releasedVersions().at(-1) ?? ''
  const changes = broken(
    gunzipSync(releasedFile(last, 'schema.graphql.gz')).toString(),
    read('services/gateway/schema.graphql'),
  )
  expect(
    mayBreak(last, VERSION) ? [] : changes,
    `These break clients of ${last}. If it is released, raise the version as docs/versions.md says; if not yet, npm run keep-release`,
  ).toEqual([])
})

test('a field that is gone, or of another type, breaks; one that is new does not', () => {
  const earlier = 'type Query { a: Int!, b: String }'
  expect(broken(earlier, 'type Query { a: Int!, b: String, c: Int }')).toEqual([])
  expect(broken(earlier, 'type Query { a: Int }')).toHaveLength(2)
  expect([mayBreak('0.1.0', '0.1.1'), mayBreak('0.1.0', '0.2.0')]).toEqual([false, true])
  expect([mayBreak('1.1.0', '1.2.0'), mayBreak('0.9.0', '1.0.0'), mayBreak('1.9.0', '2.0.0')]).toEqual([
    false,
    true,
    true,
  ])
})

test('commands, tools, settings and the client take what those of the last release took, unless the version says so', async () => {
  const last = releasedVersions().at(-1) ?? ''
  const kept = JSON.parse(releasedFile(last, 'surface.json').toString())
  const changes = brokenSurface(kept, await presentSurface())
  expect(
    mayBreak(last, VERSION) ? [] : changes,
    `These break what relies on ${last}. If it is released, raise the version as docs/versions.md says; if not yet, npm run keep-release`,
  ).toEqual([])
})

test('what is gone, or must be given now, breaks; what may be given does not', () => {
  const earlier = { 'tool search': { needed: ['query'], optional: ['limit'] } }
  const later = (needed: string[], optional: string[]) => ({ 'tool search': { needed, optional } })
  expect(brokenSurface(earlier, later(['query'], ['limit', 'kinds']))).toEqual([])
  expect(brokenSurface(earlier, later([], ['limit', 'query']))).toEqual([])
  expect(brokenSurface(earlier, later(['query', 'limit'], []))).toEqual([
    'tool search: limit must be given now',
  ])
  expect(brokenSurface(earlier, later(['query'], []))).toEqual(['tool search: limit is gone'])
  expect(brokenSurface(earlier, {})).toEqual(['tool search is gone'])
})

test('a field of --json that is gone or of another type breaks; one that is new or null does not', () => {
  const earlier = shapeOf({ hits: [{ score: 1, title: 'a' }], next: null })
  const brokenBy = (later: unknown) => brokenShape(earlier, shapeOf(later))
  expect(brokenBy({ hits: [{ score: 2, title: null, id: 'x' }], next: 'b' })).toEqual([])
  expect(brokenBy({ hits: [{ score: '2' }], next: null })).toEqual([
    'hits[].score is string, not number',
    'hits[].title is gone',
  ])
  expect(brokenBy({ hits: [], next: null })).toEqual([])
  expect(brokenBy({ next: null })).toContain('hits is gone')
})

test('all places name the same version, and the changelog says what it is', () => {
  expect(read('infra/Dockerfile')).toContain(`daybook:${VERSION}`)
  expect(read('CHANGELOG.md')).toContain(`## [${VERSION}]`)
})

interface Workflow {
  readonly on: { readonly push: { readonly tags: readonly string[] } }
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>
}

test('a tag releases, by scripts and files that are there', () => {
  const { on, jobs }: Workflow = parse(read('.github/workflows/release.yml'))
  expect(on.push.tags).toEqual(['v*'])
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
  const all = [...commands, read('.ci/run')].join('\n')
  const named = [...all.matchAll(/\bnpm run ([\w:-]+)/gu)].map(([, name = '']) => name)
  expect(named).toEqual(expect.arrayContaining(['package', 'test:package']))
  const { scripts } = JSON.parse(read('package.json'))
  for (const name of named) expect(scripts).toHaveProperty([name])
  const files = all.match(/(?<![\w/.])(?:\.ci|infra)\/[\w./-]+/gmu) ?? []
  expect(files).toEqual(expect.arrayContaining(['.ci/run', 'infra/debian/install']))
  for (const file of files) expect(existsSync(join(REPOSITORY, file)), file).toBe(true)
})
