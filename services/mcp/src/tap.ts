/* oxlint-disable unicorn/prefer-add-event-listener -- a transport of MCP is no EventTarget */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'

/** The same transport, which also tells of the method of each message that comes in. */
export function tap(transport: Transport, onMethod: (method: string) => void): Transport {
  return {
    start: () => transport.start(),
    send: (message: JSONRPCMessage, options) => transport.send(message, options),
    close: () => transport.close(),
    set onclose(handler: Transport['onclose']) {
      if (handler !== undefined) transport.onclose = handler
    },
    set onerror(handler: Transport['onerror']) {
      if (handler !== undefined) transport.onerror = handler
    },
    set onmessage(handler: Transport['onmessage']) {
      transport.onmessage = (message, extra) => {
        if ('method' in message) onMethod(message.method)
        handler?.(message, extra)
      }
    },
  }
}
