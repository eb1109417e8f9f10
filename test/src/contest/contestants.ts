import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findBinaries, whyNone } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { daybookPeer, nativeDaybookPeer } from '../eval/peers/daybook.ts'
import type { Peer } from '../eval/peers/peer.ts'
import { REPOSITORY } from '../support/daemon.ts'
import type { LibraryName } from './host.ts'
import { hostedPeer } from './hosted-peer.ts'
import { PACKAGES, versionOf } from './packages.ts'
import { serverMemoryPeer } from './server-memory.ts'

/** One that takes part. */
export interface Contestant {
  readonly name: string
  /** What it is, and how it searches. */
  readonly what: string
  /** Why it cannot take part here; null if it can. */
  absent(): string | null
  version(): string
  /** Its settings that are not the default, or could be taken for a choice, each with what its documentation says. */
  readonly settings: readonly Setting[]
  /** Opens it empty. @param groups the names of all stores that it will be asked to open */
  open(groups: readonly string[]): Promise<Peer>
}

/** A setting, and where the peer's own documentation has it. */
export interface Setting {
  readonly what: string
  readonly source: string
}

const daybookVersion = () =>
  (JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string }).version

/** As its files on this machine say. */
function pgvectorVersion(): string {
  const run = (program: string, option: string) =>
    execFileSync(join(findBinaries(), program), [option], { encoding: 'utf8' }).trim()
  const control = readFileSync(join(run('pg_config', '--sharedir'), 'extension/vector.control'), 'utf8')
  const version = /default_version = '([^']+)'/u.exec(control)?.[1] ?? ''
  return `pgvector ${version}, ${run('postgres', '--version').replace(/^postgres \(PostgreSQL\)/u, 'PostgreSQL')}`
}

/** A library of the packages, or one that needs none. */
function hosted(
  library: LibraryName,
  about: Pick<Contestant, 'name' | 'what' | 'settings'> & { packages?: readonly string[]; keeps: boolean },
): Contestant {
  const { packages = [], keeps, ...rest } = about
  const versions = () => packages.map((name) => `${name} ${versionOf(name) ?? 'missing'}`)
  return {
    ...rest,
    version: () => versions().join(', '),
    absent: () =>
      packages.every((name) => versionOf(name) !== null)
        ? null
        : 'its packages are not installed: npm run contest installs them',
    open: async () => hostedPeer({ library, packages: PACKAGES, keeps }),
  }
}

/** All, in the order of the tables. */
export const CONTESTANTS: readonly Contestant[] = [
  {
    name: 'daybook',
    what: 'Daybook on its embedded database (PGlite in a process of its own), over GraphQL: BM25 and vectors find candidates, late interaction ranks them',
    absent: () => null,
    version: daybookVersion,
    settings: [{ what: 'defaults; `DAYBOOK_SELF_CHECK=off`, as in all tests', source: 'settings.md' }],
    open: (groups) => daybookPeer(groups),
  },
  {
    name: 'daybook-native',
    what: 'the same on PostgreSQL with pgvector',
    absent: whyNone,
    version: daybookVersion,
    settings: [
      {
        what: 'defaults; the server with 1 GB of `shared_buffers`, as the one for pgvector below',
        source: 'running.md',
      },
    ],
    open: nativeDaybookPeer,
  },
  {
    name: 'pgvector',
    what: 'a table in PostgreSQL: `ts_rank_cd` over a GIN index and cosine over an HNSW index, the best hundred of each joined by reciprocal rank, in one statement',
    absent: whyNone,
    version: pgvectorVersion,
    settings: [
      {
        what: '`hnsw.ef_search = 100` instead of 40, so that the index gives a hundred',
        source: 'https://github.com/pgvector/pgvector#query-options',
      },
      {
        what: '“Use together with Postgres full-text search for hybrid search”, “You can use Reciprocal Rank Fusion or a cross-encoder to combine results”',
        source: 'https://github.com/pgvector/pgvector#hybrid-search',
      },
      {
        what: 'the words of a question joined with OR; with AND it finds a fifth as much',
        source: 'https://www.postgresql.org/docs/15/textsearch-controls.html',
      },
    ],
    async open() {
      const server = await startNativeServer()
      return hostedPeer({ library: 'pgvector', packages: PACKAGES, keeps: true, server })
    },
  },
  hosted('sqlite', {
    name: 'sqlite',
    what: 'SQLite: BM25 of FTS5 and cosine of sqlite-vec, joined by reciprocal rank in one statement',
    packages: ['better-sqlite3', 'sqlite-vec'],
    keeps: true,
    settings: [
      {
        what: 'the query of sqlite-vec’s author, k = 60, a hundred of each',
        source: 'https://alexgarcia.xyz/blog/2024/sqlite-vec-hybrid-search/index.html',
      },
      {
        what: '`journal_mode = WAL`: “it is generally important to set the WAL pragma for performance reasons”',
        source: 'https://github.com/WiseLibs/better-sqlite3#usage',
      },
      {
        what: "`tokenize='porter unicode61'`, stop words left out of questions, the others joined with OR",
        source: 'https://www.sqlite.org/fts5.html#porter_tokenizer',
      },
    ],
  }),
  hosted('mem0', {
    name: 'mem0',
    what: 'mem0’s Node package as it stores without a language model: cosine, plus its own BM25 over stems, in its SQLite file',
    packages: ['mem0ai', 'better-sqlite3'],
    keeps: true,
    settings: [
      {
        what: '`infer: false`: “If false, store raw text (default: true)”',
        source:
          'https://github.com/mem0ai/mem0/blob/main/integrations/mem0-plugin/skills/mem0/client/node.md',
      },
      {
        what: '`threshold`: “Minimum similarity (default: 0.1)”, `rerank`: “(default: false)”; both as they are, and stems by its own rules, as without the optional package `natural`',
        source:
          'https://github.com/mem0ai/mem0/blob/main/integrations/mem0-plugin/skills/mem0/client/node.md',
      },
      {
        what: 'embedder `langchain`, which takes any object with `embedQuery`; vector store `memory`, which is a SQLite file',
        source: 'https://docs.mem0.ai/open-source/node-quickstart',
      },
    ],
  }),
  {
    ...hosted('langgraph', {
      name: 'langgraph',
      what: 'LangGraph’s `InMemoryStore` with its index: cosine over all vectors, in memory alone',
      keeps: false,
      settings: [
        {
          what: "`index: { dims, embeddings, fields: ['text'] }`. “This store keeps all data in memory. Data is lost when the process exits”",
          source:
            'https://reference.langchain.com/javascript/langchain-langgraph-checkpoint/store/InMemoryStore',
        },
      ],
    }),
    version: () => {
      const file = createRequire(import.meta.url).resolve('@langchain/langgraph-checkpoint')
      const found = /^(.*langgraph-checkpoint)\//u.exec(file)?.[1] ?? ''
      return `@langchain/langgraph-checkpoint ${(JSON.parse(readFileSync(join(found, 'package.json'), 'utf8')) as { version: string }).version}`
    },
  },
  hosted('orama', {
    name: 'orama',
    what: 'Orama’s hybrid search: BM25 and cosine, in memory alone',
    packages: ['@orama/orama'],
    keeps: false,
    settings: [
      {
        what: "`mode: 'hybrid'`; stemming for English",
        source: 'https://docs.orama.com/open-source/usage/search/hybrid-search',
      },
      {
        what: '`similarity: 0` instead of “Defaults to `0.8`”, which MiniLM’s cosines of right answers do not reach',
        source: 'https://github.com/oramasearch/orama#vector-and-hybrid-search-support',
      },
    ],
  }),
  hosted('minisearch', {
    name: 'minisearch',
    what: 'MiniSearch: BM25 over words, in memory alone',
    packages: ['minisearch'],
    keeps: false,
    settings: [
      {
        what: 'defaults: “No stemming is performed, and no stop-word list is applied”',
        source: 'https://github.com/lucaong/minisearch#tokenization',
      },
    ],
  }),
  {
    name: 'server-memory',
    what: 'the reference memory server of MCP: an entity for each memory in a file of JSON lines, searched for text that contains the query',
    absent: () =>
      versionOf('@modelcontextprotocol/server-memory') === null
        ? 'its package is not installed: npm run contest installs it'
        : null,
    version: () =>
      `@modelcontextprotocol/server-memory ${versionOf('@modelcontextprotocol/server-memory') ?? ''}`,
    settings: [
      {
        what: '`search_nodes` looks for the whole query in “entity names, types, and observation content”, so it is asked for each word that is no stop word; most words first. The whole question would find only what has all of it',
        source: 'https://github.com/modelcontextprotocol/servers/tree/main/src/memory#tools',
      },
    ],
    open: async () => serverMemoryPeer(PACKAGES),
  },
  hosted('markdown', {
    name: 'markdown',
    what: 'a folder with a Markdown file for each memory, searched with `grep -rowiF` for the words that are no stop words; most words first',
    keeps: true,
    settings: [
      {
        what: 'as agents search notes; Basic Memory keeps such files, and has an index beside them',
        source: 'https://docs.basicmemory.com',
      },
    ],
  }),
]
