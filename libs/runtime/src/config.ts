import { resolve } from 'node:path'
import { DaybookError } from '@daybook/memory/errors'
import { z } from 'zod'

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a whole number')
  .transform(Number)
  .pipe(z.number().max(65_535, 'must be at most 65535'))
const url = (...schemes: string[]) =>
  z.string().refine((value) => schemes.some((scheme) => value.startsWith(`${scheme}://`)), {
    message: `must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  })

/** Every setting, read from the environment. The description is the documentation's. */
const SETTINGS = z.object({
  DAYBOOK_HOST: z.string().min(1).default('127.0.0.1').describe('Address that the API listens on'),
  DAYBOOK_PORT: port.default(4000).describe('Port that the API listens on; 0 takes a free one'),
  DAYBOOK_DATA_DIR: z
    .string()
    .min(1)
    .default('.daybook')
    .describe('Folder for the API key, the embedded database and caches'),
  DATABASE_URL: url('postgres', 'postgresql')
    .optional()
    .describe('Postgres with pgvector; without it the embedded database is used'),
  DAYBOOK_EMBEDDER: z
    .enum(['minilm', 'none'])
    .default('minilm')
    .describe('What makes vectors: minilm (on this machine) or none (search by words only)'),
  DAYBOOK_MODEL_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Folder with the model as transformers.js reads it, instead of the npm package'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severe log line that is written'),
})

/** The settings of a Daybook process, checked; paths absolute. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly embedder: 'minilm' | 'none'
  readonly modelDir: string | undefined
  readonly logLevel: string
}

/**
 * Reads the environment; an empty variable counts as absent.
 * @throws DaybookError CONFIGURATION naming the variable. The value is not shown: it may hold a password.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const result = SETTINGS.safeParse(given)
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new DaybookError('CONFIGURATION', `The environment is not right.\n${problems.join('\n')}`)
  }
  const settings = result.data
  return {
    host: settings.DAYBOOK_HOST,
    port: settings.DAYBOOK_PORT,
    dataDir: resolve(settings.DAYBOOK_DATA_DIR),
    databaseUrl: settings.DATABASE_URL,
    embedder: settings.DAYBOOK_EMBEDDER,
    modelDir: settings.DAYBOOK_MODEL_DIR === undefined ? undefined : resolve(settings.DAYBOOK_MODEL_DIR),
    logLevel: settings.LOG_LEVEL,
  }
}
