import type { IncomingMessage, ServerResponse } from 'node:http'
import { changeBus } from '@daybook/mcp/changes'
import { ApiError } from '@daybook/mcp/daybook'
import { createMcpServer } from '@daybook/mcp/server'
import { readToolsets } from '@daybook/mcp/toolsets'
import { ValidationError } from '@daybook/memory/errors'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createServerAdapter } from '@whatwg-node/server'
import { createMaskError } from '../http/mask-error.ts'
import type { KnownRequest } from '../http/request-context.ts'
import type { GraphQLServer } from '../http/yoga.ts'
import type { GatewayParts } from '../parts.ts'
import { REQUEST_LIMITS } from '../schema/limits.ts'
import { askInProcess, followInProcess } from './ask-in-process.ts'
import { receiptsOfKeys } from './receipts-of-keys.ts'

/** Answers one request to `/mcp`, whose key is known. */
export type AnswerMcp = (
  request: IncomingMessage,
  response: ServerResponse,
  known: KnownRequest,
  /** `?toolsets=`; null if it is absent. */
  toolsets: string | null,
) => Promise<void>

/**
 * Serves the Model Context Protocol over streamable HTTP: the revision 2026-07-28, and those of 2025 without sessions. Every
 * request has a server of its own, so gateways share nothing but Daybook.
 */
export function serveMcp(parts: GatewayParts, graphql: GraphQLServer): AnswerMcp {
  const { config, logger } = parts
  const mask = createMaskError(parts)
  const receiptsOf = receiptsOfKeys()
  return async (request, response, known, toolsets) => {
    const shown = choose(toolsets ?? config.mcpToolsets.join(','))
    const handler = createMcpHandler(
      ({ era }) =>
        createMcpServer({
          daybook: askInProcess(graphql, known, mask),
          receipts: receiptsOf(known.access.keyId, known.access.projectId),
          context: null,
          toolsets: shown,
          // Without a session there is nobody to tell.
          subscribable: era === 'modern',
          onError: (error) => logger.error({ error }, 'a tool failed unexpectedly'),
        }),
      {
        bus: changeBus(
          (signal) => followInProcess(graphql, known, mask, signal),
          (error) => {
            if (error !== null) logger.info({ error }, 'a client of MCP is no longer told of changes')
            void handler.close()
          },
        ),
        maxRequestBodySize: REQUEST_LIMITS.bodyBytes,
      },
    )
    const adapter = createServerAdapter((asked) => handler.fetch(asked))
    await adapter(request, response)
  }
}

function choose(toolsets: string) {
  try {
    return readToolsets(toolsets)
  } catch (error) {
    if (error instanceof ApiError) throw new ValidationError('toolsets', error.message)
    throw error
  }
}
