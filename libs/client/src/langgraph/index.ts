/* Memories for LangGraph: its store. */
export { createDaybookStore, type DaybookStoreOptions } from './daybook-store.ts'
