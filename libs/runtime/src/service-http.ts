import { createServer, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'
import type { Logger } from './logger.ts'
import { answerProbe, type Probes, sendJson } from './probes.ts'

/** The HTTP side of a service that has no API of its own. */
export interface ServiceHttp {
  /** `http://127.0.0.1:4001` */
  readonly url: string
  stop(): Promise<void>
}

/**
 * Serves `/health`, `/ready` and `/metrics`.
 * @throws DaybookError CONFIGURATION where the address cannot be listened on
 */
export async function startServiceHttp(
  probes: Probes & { readonly logger: Logger },
  at: { readonly host: string; readonly port: number },
): Promise<ServiceHttp> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    answer(pathname, response, probes).catch((error: unknown) => {
      probes.logger.error({ error }, 'a probe could not be answered')
      response.destroy()
    })
  })
  const url = await listen(server, at)
  return {
    url,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(path: string, response: ServerResponse, probes: Probes): Promise<void> {
  if (await answerProbe(path, response, probes)) return
  const message = `There is nothing at ${path}: this service has /health, /ready and /metrics`
  sendJson(response, 404, { message })
}
