/* What the package offers to programs. */
export type { ChangeOptions } from './calls/calls.ts'
export { DaybookClientError } from './client-error.ts'
export { type ClientOptions, createClient, type DaybookClient } from './create-client.ts'
export type { HistoryEvent } from './documents/memory.ts'
export type { MemoryContent } from './documents/memory-content.ts'
export type { MemoryEvent } from './events/follow-events.ts'
export type { EventsOptions } from './events/follow-journal.ts'
export type { RequestOptions } from './http/request.ts'
export type { Memory, SearchHit, SearchResult } from './memory.ts'
export type { Receipt } from './own-writes/own-writes.ts'
export type {
  ContextOptions,
  Facets,
  ListOptions,
  MemoryFilter,
  PackedContext,
  ReadOptions,
  RecallOptions,
  SearchOptions,
} from './reads.ts'
export type {
  DocumentToIndex,
  MemoryChangeOptions,
  Remembered,
  RememberInput,
  Undo,
  Written,
} from './writes.ts'
