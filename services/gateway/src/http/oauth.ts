import { DaybookError, UnavailableError, ValidationError } from '@daybook/memory/errors'
import { subjectId } from '@daybook/memory/id'
import { safeLine } from '@daybook/memory/safe-text'
import { oneLine } from '@daybook/memory/text-rules'
import type { Access, Scope } from '@daybook/postgres/access/api-keys'
import { findProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import { isPrivateUrl } from '@daybook/runtime/settings/setting'
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { z } from 'zod'

/*
 * Daybook as a protected resource of OAuth 2.0, as the authorization of MCP (2025-11-25) wants it: it takes access tokens that are
 * JWTs of one issuer (RFC 9068), and tells clients where to get them (RFC 9728). It gives out no tokens and passes none on.
 *
 * A token becomes an `Access` like that of a key, so that projects, scopes, budgets, limits and quarantines hold as they do for
 * keys. Nothing of it is stored. Two scopes are all that it can have: who administers has a key, because the database makes and
 * revokes keys, and quarantines, only for who shows the hash of an administrator's key.
 */

/** What a token's scopes allow. */
const SCOPES: ReadonlyMap<string, Scope> = new Map([
  ['daybook:read', 'read'],
  ['daybook:write', 'write'],
])

/** Where clients read about a protected resource; the path of the resource follows. */
export const METADATA = '/.well-known/oauth-protected-resource'

/**
 * The protected resources, by their paths: all of Daybook, and the two addresses that clients are given, because the metadata
 * must name the very address that a client asks. A token for one is good for all: they let it do the same.
 */
const RESOURCES: readonly string[] = ['', '/mcp', '/graphql']

/** Those that only the issuer can make. With HS256, whoever knows the public key could. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

/** The types of tokens that are taken (RFC 9068, and the name that issuers used before). Logout tokens, for one, are not. */
const TYPES: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt', 'jwt'])

/** How far the issuer's clock and this one may be apart, in seconds. */
const TOLERANCE_S = 30

/** The most projects that a token may open. */
const PROJECTS = 32

/** How long one answer of the issuer may take, in milliseconds. */
const PATIENCE_MS = 5_000

/** How long nobody asks again for the issuer's metadata after it could not be read, in milliseconds. */
const RETRY_MS = 5_000

const several = z.union([z.string(), z.array(z.string())])

const claimsForm = z.object({
  exp: z.number(),
  sub: z.string().min(1).optional(),
  client_id: z.string().min(1).optional(),
  scope: several.optional(),
  scp: several.optional(),
  daybook_projects: z.union([z.string(), z.array(z.string()).max(PROJECTS)]).optional(),
})

/** A valid token whose scopes do not allow what is asked. */
export class InsufficientScopeError extends DaybookError {
  /** The scopes with which the same request is allowed, as in a token. */
  readonly wanted: string

  constructor(message: string, wanted: readonly Scope[]) {
    super('FORBIDDEN', message)
    this.wanted = [...SCOPES].flatMap(([name, scope]) => (wanted.includes(scope) ? [name] : [])).join(' ')
  }
}

/** What a gateway knows about tokens. */
export interface OAuth {
  /**
   * What a token opens.
   * @throws DaybookError UNAUTHENTICATED if it is not valid; InsufficientScopeError, or FORBIDDEN if it opens no project;
   * UNAVAILABLE if the issuer cannot be asked for its keys
   */
  accessOf(token: string): Promise<Access>
  /** The metadata of the resource at the path (RFC 9728); null if there is none. */
  describe(path: string): object | null
  /**
   * The header `WWW-Authenticate` of an answer that refuses a request, which leads a client to the issuer.
   * @param path the request's
   * @param shown whether the request showed a key or token
   */
  challenge(path: string, shown: boolean, error: unknown): string | null
}

/** Whether a bearer's text may be a token: it has the form of a JWT, which no key has. */
export const isToken = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/u.test(text)

/**
 * @param cooldownMs how long after the issuer's keys were read an unknown key has them read again, in milliseconds
 */
export function createOAuth(
  { issuer, resource, audience, projects }: NonNullable<Config['oauth']>,
  { db, logger }: { readonly db: Database; readonly logger: Logger },
  cooldownMs = 30_000,
): OAuth {
  // Some clients name a resource without a path by its normal form.
  const audiences = [...RESOURCES.map((path) => resource + path), `${resource}/`, ...audience]
  const getKey = keysOf(issuer, logger, cooldownMs)
  const addressOf = (path: string): string => resource + METADATA + (RESOURCES.includes(path) ? path : '')

  const verify = async (token: string) => {
    const { payload, protectedHeader } = await jwtVerify(token, getKey, {
      issuer,
      audience: audiences,
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_S,
      requiredClaims: ['exp'],
    }).catch((error: unknown) => {
      throw error instanceof errors.JOSEError ? refusalOf(error) : error
    })
    const claims = claimsForm.safeParse(payload)
    if (!claims.success)
      throw notValid(`its claim "${String(claims.error.issues[0]?.path[0])}" has not the right form`)
    if (!TYPES.has((protectedHeader.typ ?? 'jwt').toLowerCase())) throw notValid('it is of another type')
    // A bearer shows nothing but the token, so here it would be good for whoever has stolen it (RFC 7800, 9449).
    if (payload['cnf'] !== undefined)
      throw notValid('it is bound to a key of its holder, which Daybook cannot ask for')
    return claims.data
  }
  return {
    async accessOf(token) {
      const claims = await verify(token)
      const subject = claims.sub ?? claims.client_id
      if (subject === undefined) throw notValid('it says of nobody whose it is ("sub")')
      const scopes = new Set(listed(claims.scope ?? claims.scp).flatMap((name) => SCOPES.get(name) ?? []))
      if (scopes.size === 0)
        throw new InsufficientScopeError(
          'This access token has no scope of Daybook: get one with daybook:read, or daybook:write, or both',
          [...SCOPES.values()],
        )
      const opened = await idsOf(db, claims.daybook_projects ?? projects)
      const [first] = opened
      if (first === undefined)
        throw new DaybookError(
          'FORBIDDEN',
          'This access token opens no project: its claim "daybook_projects", or the setting DAYBOOK_OAUTH_PROJECTS, must name one that there is',
        )
      return {
        keyId: subjectId(issuer, subject),
        keyName: `oauth:${oneLine(safeLine(subject.toWellFormed()))}`,
        keyHash: Buffer.alloc(0),
        scopes,
        admin: false,
        projects: opened,
        projectId: opened.length === 1 ? first : null,
        tokenEndsAt: (claims.exp + TOLERANCE_S) * 1_000,
      }
    },
    describe(path) {
      if (!RESOURCES.includes(path)) return null
      return {
        resource: resource + path,
        authorization_servers: [issuer],
        scopes_supported: [...SCOPES.keys()],
        bearer_methods_supported: ['header'],
        resource_name: 'Daybook',
      }
    },
    challenge(path, shown, error) {
      if (!(error instanceof DaybookError)) return null
      const lacking = error instanceof InsufficientScopeError
      if (!lacking && error.code !== 'UNAUTHENTICATED') return null
      return [
        'Bearer realm="daybook"',
        ...(lacking ? ['error="insufficient_scope"'] : shown ? ['error="invalid_token"'] : []),
        `scope="${lacking ? error.wanted : [...SCOPES.keys()].join(' ')}"`,
        `resource_metadata="${addressOf(path)}"`,
      ].join(', ')
    },
  }
}

/** A claim that is a text with blanks, or a list. */
const listed = (claim: string | readonly string[] | undefined): readonly string[] =>
  typeof claim === 'string' ? claim.split(' ') : (claim ?? [])

/** The ids of those projects that there are. */
async function idsOf(db: Database, named: string | readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const one of [named].flat()) {
    const project = await findProject(db, one).catch((error: unknown) => {
      // No project can have such a name.
      if (error instanceof ValidationError) return null
      throw error
    })
    if (project !== null && !found.includes(project.id)) found.push(project.id)
  }
  return found
}

const notValid = (why: string): DaybookError =>
  new DaybookError('UNAUTHENTICATED', `This access token is not valid: ${why}. Get a new one`)

/** None of the errors goes on: some hold the token's claims. */
function refusalOf(error: errors.JOSEError): DaybookError {
  if (error instanceof errors.JWTExpired)
    return new DaybookError('UNAUTHENTICATED', 'This access token has expired: get a new one')
  if (!(error instanceof errors.JWTClaimValidationFailed))
    return notValid('it is not signed with a key of the issuer, in a way that only the issuer can')
  if (error.claim === 'iss') return notValid('it is of another issuer')
  if (error.claim === 'aud') return notValid('it is for another audience')
  return notValid(`its claim "${error.claim}" is missing, or not right now`)
}

/**
 * The issuer's public keys, by a token's header. They are read when they are first needed, again after 10 minutes, and once for a
 * key that is not among them. So an issuer that is down stops neither the start nor those with keys of Daybook.
 */
function keysOf(issuer: string, logger: Logger, cooldownMs: number): JWTVerifyGetKey {
  let discovered: ReturnType<typeof readKeySet> | null = null
  let discoverAt = 0
  const unavailable = (error: unknown): UnavailableError => {
    logger.warn({ error, issuer }, 'the keys of the issuer of access tokens could not be read')
    return new UnavailableError(
      'The issuer of access tokens (DAYBOOK_OAUTH_ISSUER) cannot be asked for its keys now: try again in a moment. Keys of Daybook work',
    )
  }
  const discover = () => {
    if (discovered === null && performance.now() < discoverAt)
      throw new Error('the metadata could not be read just before')
    return (discovered ??= readKeySet(issuer, cooldownMs))
  }
  const forget = () => {
    discovered = null
    discoverAt = performance.now() + RETRY_MS
  }
  return async (header, token) => {
    let keys: Awaited<ReturnType<typeof readKeySet>>
    try {
      keys = await discover()
    } catch (error) {
      if (discovered !== null) forget()
      throw unavailable(error)
    }
    try {
      return await keys(header, token)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        throw error
      // They may have moved. Keys that are known stay: a stranger's token can have them looked up, too.
      if (!keys.fresh) forget()
      throw unavailable(error)
    }
  }
}

/** Finds the issuer's keys by its metadata (RFC 8414, OpenID Connect Discovery), at the places and in the order that MCP gives. */
async function readKeySet(issuer: string, cooldownDuration: number) {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/u, '')
  const places = new Set([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ])
  // Whoever answers for another issuer is not believed.
  const form = z.object({ issuer: z.literal(issuer), jwks_uri: z.string().refine(isPrivateUrl) })
  const problems: string[] = []
  for (const place of places) {
    const answer = await fetch(place, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) })
    const metadata = form.safeParse(answer.ok ? await answer.json().catch(() => null) : null)
    if (metadata.success)
      return createRemoteJWKSet(new URL(metadata.data.jwks_uri), {
        timeoutDuration: PATIENCE_MS,
        cooldownDuration,
      })
    problems.push(
      `${place} answers ${answer.status}${answer.ok ? ', not as that issuer with a "jwks_uri"' : ''}`,
    )
    if (!answer.bodyUsed) await answer.body?.cancel()
  }
  throw new Error(problems.join('; '))
}
