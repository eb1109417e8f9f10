import { createHttpServer, DEFAULT_HTTP_LIMITS, type HttpLimits } from './http/http-server.ts'
import { createTrustedNames, describeForeignHost, type HostName } from './http/trusted-names.ts'
import type { Logger } from './logger.ts'
import { answerProbe, type Probes, sendJson } from './probes.ts'

/** The HTTP side of a service that has no API. */
export interface ServiceHttp {
  /** The address, such as `http://127.0.0.1:4001`. */
  readonly url: string
  stop(): Promise<void>
}

/** Where it listens, and what it allows its clients. */
export interface ServiceHttpSettings {
  readonly host: string
  readonly port: number
  readonly httpLimits?: HttpLimits
  /** Names that it may be asked by, beside its address. Default none. */
  readonly allowedHosts?: readonly HostName[]
}

/**
 * Serves `/health`, `/ready` and `/metrics`.
 * @throws DaybookError CONFIGURATION if it cannot listen on the address
 */
export async function startServiceHttp(
  probes: Probes & { readonly logger: Logger },
  { host, port, httpLimits = DEFAULT_HTTP_LIMITS, allowedHosts = [] }: ServiceHttpSettings,
): Promise<ServiceHttp> {
  const names = createTrustedNames({ host, allowedHosts, allowedOrigins: [] })
  const server = createHttpServer({
    logger: probes.logger,
    limits: httpLimits,
    async handle({ headers, socket }, response, { path, authority }) {
      const sent = { host: headers.host, authority, port: socket.localPort }
      if (!names.isProbeHost(sent)) return sendJson(response, 421, { message: describeForeignHost(sent) })
      if (await answerProbe(path, response, probes)) return
      const message = `There is nothing at ${path}: this service has /health, /ready and /metrics`
      sendJson(response, 404, { message })
    },
  })
  const url = await server.listen({ host, port })
  return { url, stop: () => server.stop(0) }
}
