import { pgvectorPeer } from '../../eval/peers/pgvector-rrf.ts'
import type { OpenLibrary } from './library.ts'

/** The recipe for Postgres, as a program has it that talks to a server. */
export const openPgvector: OpenLibrary = ({ databaseUrl: url = '', vectors }) =>
  pgvectorPeer({ url, stop: async () => {} }, vectors)
