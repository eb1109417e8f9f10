import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** Where gateways of tests are reached, as tokens name it. */
export const RESOURCE = 'https://daybook.example.com'

/**
 * An authorization server of a test's own: its metadata, its public keys, whatever token a test wants, and one for each client that
 * asks by itself (client credentials): for the resource and the scopes that it asks for, in the project that is called as it is.
 */
export interface TestIssuer {
  readonly url: string
  /** The settings of a gateway that takes its tokens. */
  readonly environment: Readonly<Record<string, string>>
  /** The paths that it was asked for so far. */
  readonly asked: readonly string[]
  /**
   * A token with the newest key: valid for 10 minutes, for `/mcp`, with both scopes, of the subject `alice`. It has no project
   * unless `daybook_projects` names one.
   */
  token(claims?: JWTPayload, header?: { readonly typ?: string; readonly kid?: string }): Promise<string>
  /** The newest public key as PEM. */
  publicKey(): Promise<string>
  /** Replaces its key by another one. */
  rotate(): Promise<void>
  /** Whether it answers. */
  answers(does: boolean): void
  stop(): Promise<void>
}

/**
 * @param discovery at which of the places of its metadata it answers; default RFC 8414
 * @param path its own path, if it is one of several on a host
 */
export async function startTestIssuer(
  discovery: 'oauth-authorization-server' | 'openid-configuration' = 'oauth-authorization-server',
  path = '',
): Promise<TestIssuer> {
  const asked: string[] = []
  let [made, isUp] = [0, true]
  const makePair = async () => {
    made += 1
    // Two kinds of keys, as issuers have them.
    const alg = made % 2 === 1 ? 'RS256' : 'ES256'
    return { alg, kid: `key-${made}`, ...(await generateKeyPair(alg, { extractable: true })) }
  }
  let pair = await makePair()
  const token: TestIssuer['token'] = (claims = {}, header = {}) =>
    new SignJWT({
      iss: url,
      aud: `${RESOURCE}/mcp`,
      sub: 'alice',
      scope: 'openid daybook:read daybook:write',
      iat: Math.floor(Date.now() / 1_000),
      exp: Math.floor(Date.now() / 1_000) + 600,
      ...claims,
    })
      .setProtectedHeader({ alg: pair.alg, kid: pair.kid, typ: 'at+jwt', ...header })
      .sign(pair.privateKey)
  const answerTo = async (target: string, request: IncomingMessage): Promise<object | null> => {
    if (target === `/.well-known/${discovery}${path}`)
      return {
        issuer: url,
        jwks_uri: `${url}/keys?all=1`,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      }
    if (target === `${path}/token`) {
      const given = Object.fromEntries(new URLSearchParams(await text(request)))
      const { client_id: sub = '', resource: aud = '', scope } = given
      return { access_token: await token({ sub, aud, scope, daybook_projects: sub }), token_type: 'Bearer' }
    }
    if (target !== `${path}/keys?all=1`) return null
    const { alg, kid, publicKey } = pair
    return { keys: [{ ...(await exportJWK(publicKey)), alg, kid, use: 'sig' }] }
  }
  const server = createServer(async (request, response) => {
    const { url: target = '' } = request
    asked.push(target)
    const answer = isUp ? await answerTo(target, request) : null
    const status = answer !== null ? 200 : isUp ? 404 : 503
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  return {
    url,
    environment: { DAYBOOK_OAUTH_ISSUER: url, DAYBOOK_OAUTH_RESOURCE: RESOURCE },
    asked,
    token,
    publicKey: () => exportSPKI(pair.publicKey),
    async rotate() {
      pair = await makePair()
    },
    answers(does) {
      isUp = does
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
