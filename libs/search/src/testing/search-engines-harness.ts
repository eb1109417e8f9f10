import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { IN_MEMORY } from '@daybook/in-memory-engine/engine'
import { attachInMemory } from '@daybook/in-memory-engine/testing/attach-in-memory'
import { readJournal } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import {
  type ReadModelHarness,
  type ReadModelOptions,
  startReadModelHarness,
} from '@daybook/pgvector/testing/read-model-harness'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import {
  BESIDE_ENGINES,
  DATABASES_BESIDE_ENGINES,
  TEST_DATABASES,
  type TestDatabaseKind,
} from '@daybook/postgres/testing/test-database'
import type { EngineSlot } from '@daybook/projection/engine/search-engine'
import type { Projection } from '@daybook/projection/projection'
import { needing } from '@daybook/runtime/testing/needing'
import { attachTypesense } from '@daybook/typesense/testing/attach-typesense'
import { TYPESENSE_SERVERS } from '@daybook/typesense-double/typesense-servers'
import { engineName, POSTGRES } from '../engine/engine-name.ts'
import type { SearchParts } from '../search-parts.ts'
import type { AttachedEngine, EngineKind } from './attached-engine.ts'

/**
 * The engines that suites run on: Postgres, one in memory, the double of Typesense and, if it is configured,
 * a real one.
 */
export const ENGINES: readonly EngineKind[] = [
  { name: 'Postgres', engine: POSTGRES, attach: null },
  { name: 'an engine in memory', engine: engineName(IN_MEMORY), attach: attachInMemory },
  ...TYPESENSE_SERVERS.map((server) => ({
    name: server.name,
    engine: 'TYPESENSE',
    attach: (harness: ReadModelHarness) => attachTypesense(harness, server),
  })),
]

/** Postgres on every database; the other engines on one of them, as their content is elsewhere. */
export const COMBINATIONS = TEST_DATABASES.flatMap((database) =>
  ENGINES.filter(({ attach }) => attach === null || DATABASES_BESIDE_ENGINES.includes(database)).map(
    (kind) => ({
      ...kind,
      database: database.name,
      start: database.start,
    }),
  ),
)
needing(BESIDE_ENGINES)

/** A read model's harness that also writes to an engine beside it. */
export interface EngineHarness<Attached extends AttachedEngine | null = AttachedEngine | null>
  extends ReadModelHarness {
  readonly attached: Attached
  /** The engines that searches may ask for. */
  readonly engines: readonly EngineSlot[]
  /** The parts with which a project is searched. */
  parts(scope: ProjectScope): SearchParts
  /** Applies new events to the read model only, not to the other engine. */
  applyToReadModel(scope: ProjectScope): Promise<void>
}

/** Starts a read model's harness on a new test database, with the engine of `kind` beside it. */
export async function startEngineHarness<Attached extends AttachedEngine>(
  database: Pick<TestDatabaseKind, 'start'>,
  kind: { readonly attach: NonNullable<EngineKind<Attached>['attach']> },
  options?: ReadModelOptions,
): Promise<EngineHarness<Attached>>
export async function startEngineHarness(
  database: Pick<TestDatabaseKind, 'start'>,
  kind: Pick<EngineKind, 'attach'>,
  options?: ReadModelOptions,
): Promise<EngineHarness>
export async function startEngineHarness(
  database: Pick<TestDatabaseKind, 'start'>,
  { attach }: Pick<EngineKind, 'attach'>,
  options: ReadModelOptions = {},
): Promise<EngineHarness> {
  const harness = await startReadModelHarness(database, options)
  const applyToReadModel = (scope: ProjectScope) => harness.apply(scope)
  const searched = (engines: readonly EngineSlot[]) => ({
    ...harness,
    applyToReadModel,
    engines,
    parts: (scope: ProjectScope) => ({
      scope,
      readModel: harness.readModel,
      embedders: fixedEmbedders([harness.embedder]),
      engines,
    }),
  })
  if (attach === null) return { ...searched([]), attached: null }
  const attached = await attach(harness)
  const both: EngineHarness = {
    ...searched([attached.slot]),
    attached,
    async remember(scope, ...inputs) {
      const memories = await harness.remember(scope, ...inputs)
      await both.apply(scope)
      await both.embed()
      return memories
    },
    async apply(scope, size) {
      await harness.apply(scope, size)
      await applyAll(attached.projection, scope)
    },
    async embed() {
      await harness.embed()
      await attached.fillVectors()
    },
    async stop() {
      await attached.stop()
      await harness.stop()
    },
  }
  return both
}

/** Applies all events that a projection lacks. */
export async function applyAll(projection: Projection, scope: ProjectScope): Promise<void> {
  for (;;) {
    const from = await projection.position(scope)
    const events = (await readJournal(scope, { after: from.sequence, limit: 100 })).map(readable)
    const last = events.at(-1)
    if (last === undefined) return
    await projection.apply(scope, { from, to: last, events, parked: [], erased: [] })
  }
}
