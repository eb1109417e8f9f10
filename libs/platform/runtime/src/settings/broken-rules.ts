import type { SETTINGS } from '../settings.ts'
import type { Values } from './setting.ts'

/** A rule about several settings that is broken, with the setting to change. */
export interface BrokenRule {
  readonly setting: string
  readonly problem: string
}

/** The rules about several settings that these values break. */
export function brokenRules({
  ownerUrl,
  databaseUrl,
  typesense,
  nats,
  oauth,
  embedder,
  providers: { openai },
}: Values<typeof SETTINGS>): BrokenRule[] {
  const broken: BrokenRule[] = []
  if (ownerUrl !== undefined && databaseUrl === undefined)
    broken.push({
      setting: 'DATABASE_URL',
      problem: 'is required where DAYBOOK_OWNER_URL is set: it names the same database',
    })
  if (typesense.url !== undefined && typesense.apiKey === undefined)
    broken.push({ setting: 'TYPESENSE_API_KEY', problem: 'is required where TYPESENSE_URL is set' })
  if ((oauth.issuer === undefined) !== (oauth.resource === undefined))
    broken.push({
      setting: oauth.issuer === undefined ? 'DAYBOOK_OAUTH_ISSUER' : 'DAYBOOK_OAUTH_RESOURCE',
      problem: `is required where DAYBOOK_OAUTH_${oauth.issuer === undefined ? 'RESOURCE' : 'ISSUER'} is set`,
    })
  if (openai.apiKey !== undefined && openai.apiKeyFile !== undefined)
    broken.push({ setting: 'OPENAI_API_KEY_FILE', problem: 'must not be set where OPENAI_API_KEY is' })
  if (isOpenAi(embedder) && needsKey(openai.url) && (openai.apiKey ?? openai.apiKeyFile) === undefined)
    broken.push({
      setting: 'OPENAI_API_KEY',
      problem:
        'or OPENAI_API_KEY_FILE is required where DAYBOOK_EMBEDDER is openai, unless OPENAI_BASE_URL names another server',
    })
  if (nats.stream.duplicateWindowMs > nats.stream.maxAgeMs)
    broken.push({
      setting: 'DAYBOOK_NATS_DUPLICATE_WINDOW',
      problem: 'must not be longer than DAYBOOK_NATS_MAX_AGE: NATS refuses such a stream',
    })
  return broken
}

const isOpenAi = (embedder: string): boolean => /^openai(?:\/|$)/u.test(embedder)
const needsKey = (address: string): boolean => address.startsWith('https://api.openai.com/')
