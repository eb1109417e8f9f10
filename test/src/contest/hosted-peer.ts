import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderOf } from '@daybook/postgres/testing/failover-pair'
import type { NativeServer } from '@daybook/postgres/testing/running-server'
import { jsonRpc } from '../eval/peers/json-rpc.ts'
import type { Peer, PeerStore } from '../eval/peers/peer.ts'
import { killAtExit, killChild, testEnvironment } from '../support/child-process.ts'
import type { HostRequest, LibraryName } from './host.ts'

const HOST = fileURLToPath(new URL('./host.ts', import.meta.url))

/** How a library is hosted. */
export interface HostedOptions {
  readonly library: LibraryName
  /** The folder with the installed packages (`packages.ts`). */
  readonly packages: string
  /** Whether it keeps what it stores on the disk. */
  readonly keeps: boolean
  /** The Postgres that it needs, which is stopped with it. */
  readonly server?: NativeServer
}

/** A library in a process of its own, asked over a pipe. */
export function hostedPeer({ library, packages, keeps, server }: HostedOptions): Peer {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-contest-'))
  const start = () => {
    const args = ['--import', 'tsx', HOST, library, folder, packages, ...(server ? [server.url] : [])]
    const child = spawn(process.execPath, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...testEnvironment(), DAYBOOK_TEST_CACHE: process.env['DAYBOOK_TEST_CACHE'] },
    })
    killAtExit(child)
    return { child, rpc: jsonRpc(child, library) }
  }
  let running: { readonly child: ChildProcess; readonly rpc: ReturnType<typeof jsonRpc> } = start()
  return {
    name: library,
    ...(keeps && { folders: [server === undefined ? folder : folderOf(server)] }),
    async open(group) {
      const call =
        <Result>(method: HostRequest['method']) =>
        (...args: readonly unknown[]) =>
          running.rpc.request(method, { group, method, args } satisfies HostRequest) as Promise<Result>
      return {
        store: call<void>('store'),
        search: call<string[]>('search'),
        answerBytes: call<number>('answerBytes'),
        remove: call<void>('remove'),
        ids: call<string[]>('ids'),
        close: call<void>('close'),
      } satisfies PeerStore
    },
    ...(keeps && {
      async restart() {
        await server?.start()
        running = start()
      },
    }),
    async close() {
      await killChild(running.child)
      await server?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
