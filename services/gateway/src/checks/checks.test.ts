import { ENGINES } from '@daybook/engines/engines'
import type { Operation } from '@daybook/operations/operation'
import type { GenerationState } from '@daybook/projection/generations/generations'
import { readConfig } from '@daybook/runtime/config'
import { describe, expect, it } from 'vitest'
import { judgeBacklog, judgeBus } from './bus.ts'
import { failed, ok, warning, worst } from './check.ts'
import {
  judgeClock,
  judgeCompatibility,
  judgeDisk,
  judgeDurability,
  judgeMigrations,
  judgeOperations,
  judgePgvector,
  judgeRights,
  judgeServer,
} from './database.ts'
import { judgeGenerations, judgeQueue, judgeSelfCheck } from './engines.ts'
import { judgeSettings } from './machine.ts'
import { judgeDivergence, judgeParked, judgeProgress } from './projections.ts'
import { judgeFollowed, judgeFormerHome } from './sync.ts'

const rights = {
  role: 'app',
  isSuperuser: false,
  ownsJournal: false,
  mayChangeJournal: false,
  login: 'login',
  loginOwnsJournal: false,
}
const durable = { fsync: true, synchronousCommit: 'on', standbys: 0, asynchronous: 0 }
const bus = { transport: 'nats', problem: null, version: '2.9', roundTripMs: 1 } as const
const server = { roundTripMs: 1, version: '15.1', vectorVersion: '0.8.4', bytes: 1 }
const queue = { queued: 0, failed: 0, leased: 0, failure: null }
const progress = (lag: number, applied: number) => ({ lag, applied, parked: 0 })
const selfCheck = {
  idleMs: 900,
  differed: 0,
  differedMs: null,
  example: null,
  unhealed: 0,
  journalProblem: null,
}
const mended = { ...selfCheck, differed: 3, differedMs: 3_600_000, example: 'x (missing)' }
const NOW = Date.parse('2026-11-23T12:00:00Z')
const followed = {
  shown: 'CONNECTED',
  home: { url: 'http://desk:4000', key: 'secret' },
  problem: null,
  movedTo: null,
  waiting: 0,
  waitingSince: null,
  openConflicts: 0,
} as const
const waiting = { ...followed, waiting: 2, waitingSince: '2026-11-23T10:00:00Z' } as const
const fresh = { ...waiting, waitingSince: '2026-11-23T11:50:00Z' } as const
const judged = (more: Parameters<typeof judgeFollowed>[1]) =>
  worst(judgeFollowed('shop', more, NOW), ok('fine'))
const config = (environment: Record<string, string>) => readConfig({ TYPESENSE_API_KEY: 'x', ...environment })
const operation = (more: Partial<Operation>) =>
  ({
    id: 'id',
    type: 'verify',
    projection: 'pgvector',
    status: 'running',
    phase: 'comparing',
    error: null,
    ...more,
  }) as Operation

describe('what is found is judged', () => {
  it.each([
    ['OK', judgeServer(server, true)],
    ['WARNING', judgeServer({ ...server, roundTripMs: 80 }, false)],
    ['OK', judgePgvector('0.8.4')],
    ['OK', judgePgvector('0.10.0')],
    ['WARNING', judgePgvector('0.8.0')],
    ['OK', judgeCompatibility({ reader: 1, writer: 1 })],
    ['FAILED', judgeCompatibility({ reader: 1, writer: 99 })],
    ['FAILED', judgeCompatibility({ reader: 99, writer: 1 })],
    ['OK', judgeMigrations({ missing: [], unknown: [] })],
    ['FAILED', judgeMigrations({ missing: ['0002'], unknown: ['0099'] })],
    ['WARNING', judgeMigrations({ missing: [], unknown: ['0099'] })],
    ['OK', judgeRights(rights)],
    ['WARNING', judgeRights({ ...rights, loginOwnsJournal: true })],
    ['FAILED', judgeRights({ ...rights, isSuperuser: true })],
    ['FAILED', judgeRights({ ...rights, mayChangeJournal: true })],
    ['OK', judgeDurability(durable, false)],
    ['OK', judgeDurability(durable, true)],
    ['WARNING', judgeDurability({ ...durable, fsync: false }, true)],
    ['OK', judgeDurability({ ...durable, standbys: 1 }, false)],
    ['FAILED', judgeDurability({ ...durable, fsync: false }, false)],
    ['FAILED', judgeDurability({ ...durable, synchronousCommit: 'off' }, false)],
    ['WARNING', judgeDurability({ ...durable, standbys: 2, asynchronous: 1 }, false)],
    ['WARNING', judgeDurability({ ...durable, standbys: 1, asynchronous: null }, false)],
    ['WARNING', judgeDurability({ ...durable, standbys: 1, synchronousCommit: 'local' }, false)],
    ['OK', judgeClock({ aheadMs: -900, futureProjects: 0, latest: null })],
    ['WARNING', judgeClock({ aheadMs: -90_000, futureProjects: 0, latest: null })],
    ['WARNING', judgeClock({ aheadMs: 0, futureProjects: 2, latest: { name: 'a', recordedAt: '2099' } })],
    ['OK', judgeDivergence([])],
    ['FAILED', judgeDivergence(['DIVERGED: typesense'])],
    ['OK', judgeDisk(5e9, '/data')],
    ['WARNING', judgeDisk(5e8, '/data')],
    ['FAILED', judgeDisk(5e7, '/data')],
    ['OK', judgeBus(bus)],
    ['OK', judgeBus({ transport: 'process', problem: null, version: null, roundTripMs: null })],
    ['FAILED', judgeBus({ ...bus, problem: 'away' })],
    ['OK', judgeBacklog({ events: 0, oldestMs: 0 })],
    ['OK', judgeBacklog({ events: 9, oldestMs: 500 })],
    ['WARNING', judgeBacklog({ events: 9, oldestMs: 60_000 })],
    ['OK', judgeProgress('pgvector', progress(0, 9), progress(0, 9))],
    ['OK', judgeProgress('pgvector', progress(9, 3), progress(12, 6))],
    ['FAILED', judgeProgress('pgvector', progress(9, 3), progress(9, 3))],
    ['OK', judgeParked('pgvector', 0)],
    ['WARNING', judgeParked('pgvector', 1)],
    ['OK', judgeQueue(queue, queue)],
    ['OK', judgeQueue({ ...queue, queued: 9 }, { ...queue, queued: 8 })],
    ['OK', judgeQueue({ ...queue, queued: 9 }, { ...queue, queued: 9, leased: 9 })],
    ['WARNING', judgeQueue({ ...queue, queued: 9 }, { ...queue, queued: 9 })],
    ['WARNING', judgeQueue(queue, { ...queue, queued: 1, failed: 1, failure: 'too strange' })],
    ['OK', judgeSelfCheck('pgvector', selfCheck, 5_000)],
    ['OK', judgeSelfCheck('pgvector', { ...selfCheck, idleMs: null }, 5_000)],
    // It rests for two minutes where nothing happens.
    ['OK', judgeSelfCheck('pgvector', { ...selfCheck, idleMs: 150_000 }, 5_000)],
    ['OK', judgeSelfCheck('pgvector', { ...selfCheck, idleMs: 3_600_000 }, 0)],
    ['WARNING', judgeSelfCheck('pgvector', { ...selfCheck, idleMs: 3_600_000 }, 5_000)],
    ['WARNING', judgeSelfCheck('pgvector', mended, 5_000)],
    ['OK', judgeSelfCheck('pgvector', { ...mended, differedMs: 90_000_000 }, 5_000)],
    ['FAILED', judgeSelfCheck('pgvector', { ...mended, unhealed: 1 }, 5_000)],
    ['FAILED', judgeSelfCheck('pgvector', { ...selfCheck, journalProblem: 'p: event 3 is missing' }, 5_000)],
    ['OK', judged(followed)],
    ['OK', judged({ ...followed, shown: 'OFFLINE' })],
    ['OK', judged({ ...fresh, shown: 'OFFLINE' })],
    ['WARNING', judged({ ...waiting, shown: 'OFFLINE' })],
    ['WARNING', judged({ ...waiting, shown: 'PAUSED' })],
    ['OK', judged({ ...fresh, shown: 'PAUSED' })],
    ['WARNING', judged(waiting)],
    ['FAILED', judged({ ...followed, shown: 'REFUSED', problem: 'it was revoked' })],
    ['WARNING', judged({ ...followed, shown: 'MOVED', movedTo: 'http://other:4000' })],
    ['FAILED', judged({ ...followed, shown: 'STOPPED' })],
    ['WARNING', judged({ ...followed, openConflicts: 1 })],
    ['WARNING', judgeFormerHome('shop', { url: 'http://desk:4000', problem: 'it does not answer' })],
    ['OK', judgeOperations([], [operation({})])],
    ['WARNING', judgeOperations([], [operation({ error: 'waiting: Typesense is unavailable' })])],
    ['FAILED', judgeOperations([operation({ status: 'queued' })], [])],
    ['OK', judgeSettings(config({}), ENGINES, [])],
    ['WARNING', judgeSettings(config({}), ENGINES, ['typesense'])],
    ['WARNING', judgeSettings(config({ TYPESENSE_URL: 'http://t' }), ENGINES, [])],
    ['OK', judgeSettings(config({ TYPESENSE_URL: 'http://t' }), ENGINES, ['typesense'])],
    ['WARNING', judgeSettings(config({ NATS_URL: 'nats://n' }), ENGINES, [])],
    ['WARNING', judgeSettings(config({ DAYBOOK_MODEL_DIR: '/m', DAYBOOK_EMBEDDER: 'none' }), ENGINES, [])],
  ])('as %s: %o', (status, finding) => {
    expect(finding.status).toBe(status)
    expect(finding.message).not.toMatch(/undefined|null|NaN/u)
    // Whoever is warned is told what to do.
    if (status !== 'OK') expect(finding.advice).toMatch(/\S/u)
  })

  it('generations: one live each, old ones for as long as they are kept, no leftovers of rebuilds', () => {
    const now = Date.parse('2026-11-21T12:00:00Z')
    const one = (status: GenerationState['status'], retiredAt: string | null = null): GenerationState => ({
      projection: 'pgvector',
      generation: 7,
      modelId: 'm',
      layoutVersion: 1,
      unusable: null,
      dimension: 1,
      createdAt: '',
      status,
      retiredAt,
    })
    const judge = (others: GenerationState[], rebuilding: string[] = []) =>
      judgeGenerations(others, { rebuilding, keepMs: 86_400_000, now })
    const live = one('live')
    expect(judge([live])).toMatchObject({ status: 'OK', advice: null })
    expect(judge([])).toMatchObject({ status: 'FAILED' })
    expect(judge([live, one('old', '2026-11-21T10:00:00Z')])).toMatchObject({
      status: 'OK',
      message: 'Kept for a rollback, and up to date: generation 7 of pgvector',
    })
    expect(judge([live, one('old', '2026-11-20T10:00:00Z')])).toMatchObject({ status: 'WARNING' })
    expect(judge([live, one('building')])).toMatchObject({ status: 'WARNING' })
    expect(judge([live, one('building')], ['typesense'])).toMatchObject({ status: 'WARNING' })
    expect(judge([live, one('building')], ['pgvector'])).toMatchObject({ status: 'OK' })
  })
})

it('the worst of several findings says what all that are as bad say', () => {
  const fine = ok('fine')
  expect(worst([], fine)).toBe(fine)
  expect(worst([ok('a'), warning('b', 'do b')], fine)).toEqual(warning('b', 'do b'))
  const both = worst([failed('a', 'do'), warning('b', 'do b'), failed('c', 'do')], fine)
  expect(both).toEqual(failed('a; c', 'do'))
})
