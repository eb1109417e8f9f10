import { REMEMBER } from '@daybook/gateway/testing/test-gateway'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../support/random.ts'
import { runCommands, undrivenCommands } from './commands.ts'
import { changed, compareWithMadeUp, foreignProbes, snapshot } from './nets.ts'
import { COMMON, newWord, releaseQuarantines } from './project.ts'
import { askRoutes, exportEach, unknownRoutes } from './routes.ts'
import { variablesOf } from './schema-operations.ts'
import { type Conditions, watchConditions } from './without-conditions.ts'
import { switchRowSecurityOff } from './without-row-security.ts'
import { askField, chooserFor, fill, openWorld, settle, transportsOf, type World } from './world.ts'

/** A night's run: DAYBOOK_ISOLATION_ROUNDS=200, or `npm run test:isolation`. A round takes a second or two. */
const ROUNDS = Number(process.env['DAYBOOK_ISOLATION_ROUNDS'] ?? 1)
const SEED = Number(process.env['DAYBOOK_ISOLATION_SEED'] ?? (ROUNDS > 1 ? Date.now() % 1_000_000 : 7))
/** Operations in a round. */
const OPERATIONS = ROUNDS > 1 ? 60 : 20
/** Commands of the CLI that a short run starts, each a process; a long one starts all. */
const COMMANDS = ROUNDS > 1 ? Number.POSITIVE_INFINITY : 3
/** How often a field that had no answer yet is asked. */
const TRIES = 30

describe.each(SERVICE_DATABASES)('projects on $name', ({ start }) => {
  let database: TestDatabase
  let world: World
  let conditions: Conditions
  beforeAll(async () => {
    conditions = watchConditions()
    database = await start()
    world = await openWorld(database)
  })
  afterAll(async () => {
    await world?.stop()
    await database?.stop()
    conditions.release()
  })
  afterEach(async () => {
    conditions.restore()
    for (const project of world.projects) await releaseQuarantines(project)
  })

  /** Random operations of everybody. A query's arguments are drawn when it is sent, from what there is by then. */
  const operateAtRandom = (operations = OPERATIONS) =>
    fc.assert(
      fc.asyncProperty(fc.gen(), async (draw) => {
        for (let count = 0; count < operations; count++) {
          const pick = <T>(among: readonly T[]): T => among[draw(fc.nat, { max: among.length - 1 })] as T
          const reader = pick(world.readers)
          const field = pick(world.fields)
          const chooser = chooserFor(world, reader, field, pick, () => draw(fc.nat, { max: 2 }) === 0)
          await askField(
            world,
            reader,
            field,
            variablesOf(field.args, chooser),
            pick(transportsOf(field.kind)),
          )
        }
        expect(world.leaks.splice(0).slice(0, 3)).toEqual([])
        for (const project of world.projects) await settle(project)
      }),
      { numRuns: ROUNDS, seed: SEED, endOnFailure: true },
    )

  /** Each field that takes an id gets those of another project, and answers as for ids of nobody. */
  const probeWithForeignIds = async (every = 1) => {
    const differences = []
    for (const [at, probe] of foreignProbes(world.fields).entries()) {
      if ((at + SEED) % every !== 0) continue
      const reader = world.readers[at % world.readers.length]
      if (reader !== undefined) differences.push(...(await compareWithMadeUp(world, reader, probe)))
    }
    expect(world.leaks.splice(0).slice(0, 3)).toEqual([])
    expect(differences.slice(0, 5)).toEqual([])
  }

  /** What the first project is told stays the same while another one writes. */
  const watchWhileOthersWrite = async () => {
    const [reader] = world.readers
    const [, second] = world.projects
    if (reader === undefined || second === undefined) return
    await settle(reader.home)
    const before = await snapshot(world, reader)
    await fill(second)
    await settle(second)
    const after = await snapshot(world, reader)
    expect(world.leaks.splice(0).slice(0, 3)).toEqual([])
    expect(changed(before, after).slice(0, 2)).toEqual([])
  }

  const writeInEach = () =>
    Promise.all(
      world.projects.map(({ client, marker }) =>
        client.data(REMEMBER, {
          input: { content: { note: { text: `${COMMON.words.join(' ')} ${marker}` } } },
        }),
      ),
    )

  it('are not seen by others, whatever these ask', async () => {
    await watchWhileOthersWrite()
    await operateAtRandom()
    await probeWithForeignIds(ROUNDS > 1 ? 1 : 4)
    expect(world.leaks).toEqual([])
  })

  it('nor over any HTTP route', async () => {
    expect(unknownRoutes()).toEqual([])
    // A short run asks with the key of two projects, or with the token.
    await askRoutes(
      world,
      ROUNDS > 1 ? world.readers : world.readers.slice(-2).slice(SEED % 2, (SEED % 2) + 1),
    )
    await exportEach(world)
    expect(world.leaks.splice(0).slice(0, 3)).toEqual([])
  })

  it('nor with any command of the CLI', async () => {
    expect(undrivenCommands()).toEqual([])
    await runCommands(world, SEED, COMMANDS)
    expect(world.leaks.splice(0).slice(0, 3)).toEqual([])
  })

  it('do not tell by less work that another one has the same text', async () => {
    const [one, other] = world.projects
    if (one === undefined || other === undefined) return
    const text = `a text that two projects have ${newWord()}`
    for (const project of [one, other]) {
      const before = world.embedded.length
      const { remember } = await project.client.data(REMEMBER, { input: { content: { note: { text } } } })
      await settle(project)
      expect(world.embedded.slice(before)).toContain(text)
      // Nor is it the same memory, or a repetition.
      expect(remember).toMatchObject({ __typename: 'Remembered', duplicate: false })
    }
  })

  it('and no field of the API was left out of that', async () => {
    const undriven = () => world.fields.filter(({ kind, name }) => !world.driven.has(`${kind} ${name}`))
    const random = createRandom(SEED)
    for (let tries = 0; tries < TRIES && undriven().length > 0; tries++)
      for (const field of undriven()) {
        const reader = random.oneOf(world.readers)
        const chooser = chooserFor(
          world,
          reader,
          field,
          (among) => random.oneOf(among),
          () => random.chance(1 / 3),
        )
        // A busy machine may say nothing within the usual time.
        const listenMs = 250 * (tries + 1)
        await Promise.all([
          askField(
            world,
            reader,
            { ...field, listenMs },
            variablesOf(field.args, chooser),
            random.oneOf(transportsOf(field.kind)),
          ),
          // A standing question is told what is written meanwhile.
          field.kind === 'subscription' && pause(listenMs / 2).then(writeInEach),
        ])
      }
    expect(undriven().map(({ kind, name }) => `${kind} ${name}`)).toEqual([])
    expect(world.leaks.splice(0).slice(0, 3)).toEqual([])
  })

  it('by row level security alone, without the conditions of queries', async () => {
    conditions.remove()
    await watchWhileOthersWrite()
    await operateAtRandom(OPERATIONS / 2)
    await probeWithForeignIds(ROUNDS > 1 ? 1 : 12)
    expect(conditions.changed.size).toBeGreaterThan(40)
  })

  it('by the conditions of queries alone, without row level security', async () => {
    await switchRowSecurityOff(database)
    await watchWhileOthersWrite()
    await operateAtRandom(OPERATIONS / 2)
    await probeWithForeignIds(ROUNDS > 1 ? 1 : 12)
    expect(world.leaks).toEqual([])
  })

  it('and with neither, this test would have seen it', async () => {
    conditions.remove()
    for (const reader of world.readers) await snapshot(world, reader)
    expect(new Set(world.leaks.map(({ request }) => request)).size).toBeGreaterThan(5)
  })
})
