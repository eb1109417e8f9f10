import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** One address for a server that changes or goes away, like a virtual address or a connection pooler. */
export interface SwitchingProxy {
  readonly port: number
  /** New connections go to the server there; null refuses them. Existing connections end. */
  route(to: NetConnectOpts | null): void
  /**
   * Accepts connections and carries nothing, neither on new ones nor on existing ones, until it is called with false. Then
   * what was held back goes on, like in a network that comes back.
   */
  freeze(frozen: boolean): void
  /** Ends the connection on which the server's next bytes come, after so many of them: in the middle of an answer. */
  cutAfter(bytes: number): void
  stop(): Promise<void>
}

/** Starts a proxy on a free port; it refuses connections until `route` is called. */
export async function startSwitchingProxy(): Promise<SwitchingProxy> {
  const open = new Set<Socket>()
  let target: NetConnectOpts | null = null
  let frozen = false
  let cutAt: number | null = null

  const carry = (from: Socket, to: Socket, part: (chunk: Buffer) => Buffer): void => {
    from.on('data', (chunk: Buffer) => {
      const carried = part(chunk)
      const taken = to.write(carried)
      if (carried.length < chunk.length) return void to.destroySoon()
      if (taken) return
      from.pause()
      to.once('drain', () => {
        if (!frozen) from.resume()
      })
    })
    from.once('end', () => to.end())
    if (frozen) from.pause()
  }
  const untilCut = (chunk: Buffer): Buffer => {
    if (cutAt === null) return chunk
    if (chunk.length < cutAt) {
      cutAt -= chunk.length
      return chunk
    }
    const part = chunk.subarray(0, Math.min(cutAt, chunk.length - 1))
    cutAt = null
    return part
  }

  const server = createServer((client) => {
    if (target === null) return void client.destroy()
    const upstream = connect(target)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      // Either end may break at any moment; then the other ends too.
      one.on('error', () => {})
      one.once('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    carry(client, upstream, (chunk) => chunk)
    carry(upstream, client, untilCut)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const endAll = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: address.port,
    route(to) {
      target = to
      endAll()
    },
    freeze(hold) {
      frozen = hold
      for (const socket of open)
        if (hold) socket.pause()
        else socket.resume()
    },
    cutAfter(bytes) {
      cutAt = bytes
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      endAll()
      await closed
    },
  }
}
