import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { readJournal } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import type { Command } from '@daybook/memory/commands'
import type { JournalEvent } from '@daybook/memory/events'
import { type MemoryFilter, matchesFilter } from '@daybook/memory/filter'
import { newId } from '@daybook/memory/id'
import type { MemoryState } from '@daybook/memory/state'
import type { Operation } from '@daybook/operations/operation'
import type { UndoOptions, UndoResult } from '@daybook/operations/operation-types'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { handleUndo } from '@daybook/reindex/undo/handle-undo'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../support/random.ts'

/*
 * Random histories of three keys and agents in two contexts. Whatever is undone, the states are those of the
 * journal's fold up to the moment, for what the selection covers; and undoing the undo brings the states before
 * it back.
 */

const HISTORIES = Number(process.env['DAYBOOK_UNDO_HISTORIES'] ?? 6)
const SEED = Number(process.env['DAYBOOK_UNDO_SEED'] ?? 7)
const [MEMORIES, STEPS] = [8, 40]
const KEYS = ['ada', 'bob', 'eve'] as const
const AGENTS = ['planner', 'coder'] as const
const CONTEXTS = ['shop', 'home'] as const

type Selection = Pick<UndoOptions, 'filter' | 'actor' | 'correlationId'>

describe('undo of random histories', () => {
  let database: TestDatabase
  const writer = createJournalWriter(() => {})
  beforeAll(async () => {
    database = await TEST_DATABASES[0]!.start()
  })
  afterAll(() => database?.stop())

  const random = createRandom(SEED)
  const one = <T>(of: readonly T[]): T => random.oneOf(of)

  async function history(scope: ProjectScope): Promise<void> {
    const ids = Array.from({ length: MEMORIES }, newId)
    const seen = new Set<string>()
    for (let from = 0; from < STEPS; from += 10)
      await writer.appendMany(
        scope,
        Array.from({ length: 10 }, () => ({
          command: step(one(ids), seen),
          metadata: { actor: one(KEYS), correlationId: null, causationId: null },
        })),
      )
  }

  function step(id: string, seen: Set<string>): Command {
    const common = { agent: one(AGENTS), context: one(CONTEXTS), importance: random.between(0, 10) }
    if (!seen.has(id)) {
      seen.add(id)
      return { type: 'remember', id, input: { content: { kind: 'note', fields: { text: 'a' } }, ...common } }
    }
    const version = random.between(1, 4)
    return one<Command>([
      { type: 'revise', id, input: common },
      { type: 'revise', id, input: { importance: common.importance } },
      { type: 'revise', id, input: { context: common.context } },
      { type: 'forget', id },
      { type: 'restore', id },
      { type: 'restore', id, version },
    ])
  }

  function selection(): Selection {
    const filter = one<MemoryFilter>([
      {},
      { context: one(CONTEXTS) },
      { agent: one(AGENTS) },
      { context: one(CONTEXTS), agent: one(AGENTS) },
    ])
    return { filter, actor: random.chance(0.5) ? one(KEYS) : null, correlationId: null }
  }

  /** Runs an undo as the reindex service does. @param dies whether its first try dies before its end */
  async function undo(
    scope: ProjectScope,
    selected: Selection,
    { after, dies = false }: { after: number; dies?: boolean },
  ): Promise<{ id: string; result: UndoResult }> {
    const id = newId()
    const upTo = (await eventsOf(scope)).length
    const options: UndoOptions = { projectId: scope.projectId, ...selected, since: '', after, upTo }
    const operation = { id, type: 'undo', options, requestedBy: 'operator' } as Operation<'undo'>
    let undoing = false
    const run = (fails: boolean) =>
      handleUndo(database.db, writer).run({
        operation,
        checkpoint: null,
        owner: 'test',
        takenOver: false,
        signal: new AbortController().signal,
        async report({ phase, done = 0 }) {
          undoing ||= phase === 'undoing'
          if (fails && undoing && done > 0) throw new Error('the process died')
        },
      })
    if (dies) await run(true).catch(() => {})
    return { id, result: await run(false) }
  }

  it('gives the fold up to the moment, and the undo of it the states before', async () => {
    const counts = { undone: 0, refused: 0, untouched: 0 }
    for (let run = 0; run < HISTORIES; run += 1) {
      const scope = await database.newProject()
      await history(scope)
      const events = await eventsOf(scope)
      const after = random.between(0, events.length - 1)
      const selected = selection()
      const what = JSON.stringify({ seed: SEED, run, after, selected })
      const before = statesOf(events)

      const expected = expectedStates(events, after, selected)
      const first = await undo(scope, selected, { after, dies: run % 3 === 0 })
      const undone = await eventsOf(scope)
      expect(comparable(statesOf(undone)), what).toEqual(comparable(expected.states))
      expect(first.result.refused, what).toBe(expected.refused)
      const made = undone.slice(events.length)
      expect(made.length, what).toBe(first.result.undone)
      expect(made.every((event) => event.correlationId === first.id && event.actor === 'operator')).toBe(true)

      // Once more there is nothing to do.
      const again = await undo(scope, selected, { after })
      expect(again.result.undone, what).toBe(0)

      const back = await undo(scope, { filter: {}, actor: null, correlationId: first.id }, { after })
      expect(back.result, what).toMatchObject({ undone: first.result.undone, refused: 0 })
      expect(comparable(statesOf(await eventsOf(scope))), what).toEqual(comparable(before))
      counts.undone += first.result.undone
      counts.refused += first.result.refused
      counts.untouched += before.size - first.result.undone - first.result.refused
    }
    // None of the three is rare, so none of the comparisons is empty.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(HISTORIES / 2)
  })

  it('takes back hundreds of memories, and goes on where it died', async () => {
    const scope = await database.newProject()
    const [metadata, input] = [
      { actor: 'ada', correlationId: null, causationId: null },
      { content: { kind: 'note', fields: { text: 'a' } }, context: 'shop' },
    ]
    for (let batch = 0; batch < 2; batch += 1)
      await writer.appendMany(
        scope,
        Array.from({ length: 500 }, () => ({ command: { type: 'remember', id: newId(), input }, metadata })),
      )
    const selected = { filter: { context: 'shop' }, actor: null, correlationId: null }
    const { result } = await undo(scope, selected, { after: 1, dies: true })
    expect(result).toEqual({ undone: 999, unchanged: 0, refused: 0, refusals: [] })
    const events = await eventsOf(scope)
    expect(events).toHaveLength(1_000 + 999)
    const states = [...statesOf(events).values()]
    expect(states.filter(({ forgottenAt }) => forgottenAt === null)).toHaveLength(1)
  })
})

async function eventsOf(scope: ProjectScope): Promise<JournalEvent[]> {
  return (await readJournal(scope, { after: 0, limit: 10_000 })).map((record) => readable(record))
}

function statesOf(events: readonly JournalEvent[]): Map<string, MemoryState> {
  return new Map(events.map(({ memoryId, data }) => [memoryId, data.state]))
}

/** When it was changed and forgotten last is not part of what comes back. */
function comparable(states: ReadonlyMap<string, MemoryState>) {
  return [...states]
    .map(([id, state]) => ({ ...state, id, updatedAt: null, forgottenAt: state.forgottenAt !== null }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** What an undo must lead to, told by the events of each memory alone. */
function expectedStates(events: readonly JournalEvent[], after: number, selected: Selection) {
  const states = statesOf(events)
  const folded = statesOf(events.slice(0, after))
  const { agent, ...filter } = selected.filter
  let refused = 0
  for (const [id, now] of states) {
    const all = events.filter(({ memoryId }) => memoryId === id)
    const covered = all.map((event, index) => {
      const [before, state] = [all[index - 1]?.data.state, event.data.state]
      const touches = matchesFilter(state, filter) || (before !== undefined && matchesFilter(before, filter))
      const theirs = selected.actor === null || event.actor === selected.actor
      return event.sequence > after && touches && theirs && (agent === undefined || state.agent === agent)
    })
    const first = covered.indexOf(true)
    if (first === -1) continue
    if (!covered.slice(first).every(Boolean)) {
      refused += 1
      continue
    }
    const since = all.filter(({ sequence }) => sequence > after)
    const back = all[first - 1]?.data.state ?? { ...now, forgottenAt: now.forgottenAt ?? now.updatedAt }
    // Where everything since is covered, that is the fold up to the moment.
    if (since.length === covered.filter(Boolean).length)
      expect(all[first - 1]?.data.state).toEqual(folded.get(id))
    states.set(id, back)
  }
  return { states, refused }
}
