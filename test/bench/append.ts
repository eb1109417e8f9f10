import type { AppendRequest } from '@daybook/journal/append/append-request'
import { appendOne, createJournalWriter } from '@daybook/journal/append/journal-writer'
import { decide } from '@daybook/memory/decide'
import type { NewEvent } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import { ensureProject } from '@daybook/postgres/access/projects'
import { type DatabaseAddress, openDatabase } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import pg from 'pg'
import { type BenchOptions, fromClients, median, printComparison, seconds } from './bench.ts'
import { type BenchDatabase, onEachDatabase, startEmbedded } from './databases.ts'

/**
 * The journal against the obvious alternative: a plain insert of the same row without hashes. The journal
 * also locks the project, gives gapless sequences, checks versions and keys, and hashes. It makes up for that
 * by committing concurrent appends together.
 */
export const name = 'append'
export const description =
  'single appends from 16 concurrent clients, against plain autocommit inserts of the same row'

const CLIENTS = 16
const APPENDS = 1_600
const ROUNDS = 7
const GOAL = 1
const SYNCED_GOAL = 0.67
const METADATA = { actor: 'bench', correlationId: null, causationId: null }

const request = (number: number): AppendRequest => ({
  command: {
    type: 'remember',
    id: newId(),
    input: {
      content: {
        kind: 'note',
        fields: { text: `What was decided on day ${number}: the index is written from the journal` },
      },
      context: `repository-${number % 10}`,
      labels: ['decision', 'index'],
    },
  },
  metadata: METADATA,
})

function rowOf({ command }: AppendRequest): NewEvent {
  const event = decide(command, { memory: null, earlier: null, now: new Date().toISOString() })
  if (event === null) throw new Error('a remember came to no event')
  return event
}

/** Appends per second. Connections are opened before the clock starts, and closed after it stops. */
async function viaJournal(address: DatabaseAddress): Promise<number> {
  const db = openDatabase(address)
  try {
    const scope = projectScope(db, await ensureProject(db, 'bench'))
    const writer = createJournalWriter(() => {})
    await fromClients(
      CLIENTS,
      Array.from({ length: CLIENTS * 4 }, (_, index) => request(index)),
      (one) => appendOne(writer, scope, one),
    )
    const requests = Array.from({ length: APPENDS }, (_, index) => request(index))
    return (
      APPENDS / (await seconds(() => fromClients(CLIENTS, requests, (one) => appendOne(writer, scope, one))))
    )
  } finally {
    await db.destroy()
  }
}

const INSERT = `insert into daybook.plain_events (project_id, sequence, event_id, memory_id, version, type, schema_version, data,
  recorded_at, actor, correlation_id, causation_id) values ($1, $2, $3, $4, $5, $6, $7, $8, now(), $9, $10, $11)`

/** Plain inserts per second, with a connection per client if the database has enough. */
async function viaInserts(address: DatabaseAddress, projectId: string, from: number): Promise<number> {
  const max = address.maxConnections === 1 ? 1 : CLIENTS
  const pool = new pg.Pool({ ...address.connection, max })
  // `end` does not wait for the server's side, so the server's shutdown may still raise an error here.
  pool.on('error', () => {})
  try {
    const parameters = Array.from({ length: APPENDS }, (_, index) => {
      const { memoryId, version, type, data } = rowOf(request(index))
      const place = [projectId, from + index, newId(), memoryId, version, type, 1]
      return [...place, JSON.stringify(data), METADATA.actor, METADATA.correlationId, METADATA.causationId]
    })
    // The embedded database has one session, which still has the role of the previous connection.
    await Promise.all(Array.from({ length: max * 4 }, () => pool.query('reset role')))
    return (
      APPENDS /
      (await seconds(() => fromClients(CLIENTS, parameters, (values) => pool.query(INSERT, values))))
    )
  } finally {
    await pool.end()
  }
}

const rate = (values: readonly number[]): string =>
  `${median(values).toFixed(0)}/s (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`

async function compare({ name: database, address }: BenchDatabase, rounds: number): Promise<void> {
  const client = new pg.Client(address.connection)
  await client.connect()
  // With the primary key, the unique constraints and the checks of the journal's own table.
  await client.query('create table daybook.plain_events (like daybook.events including all)')
  await client.query(
    'alter table daybook.plain_events drop column data_salt, drop column data_hash, drop column hash',
  )
  await client.end()
  const projectId = newId()
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await viaJournal(address))
    theirs.push(await viaInserts(address, projectId, round * APPENDS + 1))
  }
  printComparison({
    title: `${database}: ${APPENDS} single appends from ${CLIENTS} clients, median of ${rounds}`,
    ours: { label: 'Daybook: remember through the journal', value: rate(ours) },
    theirs: { label: 'plain autocommit insert of the row', value: rate(theirs) },
    ratio: median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN))),
    goal: { atLeast: GOAL },
  })
}

/** What a commit's wait for the disk costs the embedded database: two of them, in turn. */
async function compareSyncs(rounds: number): Promise<void> {
  const synced = await startEmbedded()
  const unsynced = await startEmbedded(false)
  try {
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await viaJournal(synced.address))
      theirs.push(await viaJournal(unsynced.address))
    }
    printComparison({
      title: `${synced.name}: the same with DAYBOOK_FSYNC on and off, median of ${rounds}`,
      ours: { label: 'Daybook: remember, on the disk', value: rate(ours) },
      theirs: { label: 'Daybook: remember, without syncs', value: rate(theirs) },
      ratio: median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN))),
      goal: { atLeast: SYNCED_GOAL },
    })
  } finally {
    await synced.stop()
    await unsynced.stop()
  }
}

/** A project's appends through the gateway that made the last one, or through two in turn: each has a writer and connections. */
async function compareGateways({ name: database, address }: BenchDatabase, rounds: number): Promise<void> {
  if (address.maxConnections === 1) return
  const dbs = [openDatabase(address), openDatabase(address)]
  const projectId = await ensureProject(dbs[0]!, 'two gateways')
  const gateways = dbs.map((db) => ({
    writer: createJournalWriter(() => {}),
    scope: projectScope(db, projectId),
  }))
  const through = async (gatewayOf: (number: number) => number): Promise<number> => {
    const work = Array.from({ length: APPENDS }, (_, number) => ({
      one: request(number),
      ...gateways[gatewayOf(number)]!,
    }))
    const all = () => fromClients(CLIENTS, work, ({ writer, scope, one }) => appendOne(writer, scope, one))
    return APPENDS / (await seconds(all))
  }
  const [kept, spread]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    kept.push(await through(() => 0))
    spread.push(await through((number) => number % 2))
  }
  printComparison({
    title: `${database}: ${APPENDS} appends to one project from ${CLIENTS} clients, median of ${rounds}`,
    ours: { label: 'through one of two gateways', value: rate(kept) },
    theirs: { label: 'through both in turn', value: rate(spread) },
    ratio: median(kept.map((value, round) => value / (spread[round] ?? Number.NaN))),
    goal: { atLeast: GOAL },
  })
  await Promise.all(dbs.map((db) => db.destroy()))
}

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  await compareSyncs(rounds)
  await onEachDatabase(async (database) => {
    await compare(database, rounds)
    await compareGateways(database, rounds)
  })
}
