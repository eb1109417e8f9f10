import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ERASED_EVENT } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import { pause } from '@daybook/runtime/backoff'
import { silentLogger } from '@daybook/runtime/logger'
import { createMemoryLogger } from '@daybook/runtime/testing/memory-logger'
import { needing } from '@daybook/runtime/testing/needing'
import type { Bus } from '@daybook/transport/bus'
import { openJetStreamBus } from '@daybook/transport/jetstream/jetstream-bus'
import { parseServerAddress } from '@daybook/transport/jetstream/server-address'
import { noteEvent } from '@daybook/transport/testing/events'
import { type NativeNats, OWN_NATS, startNativeNats } from '@daybook/transport/testing/native-nats'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { REPOSITORY } from '../support/daemon.ts'

/** The users of infra/nats/users.conf, and the variables of their passwords. */
const USERS = {
  gateway: 'NATS_GATEWAY_PASSWORD',
  'projector-pgvector': 'NATS_PROJECTOR_PGVECTOR_PASSWORD',
  'projector-typesense': 'NATS_PROJECTOR_TYPESENSE_PASSWORD',
  reindex: 'NATS_REINDEX_PASSWORD',
  sync: 'NATS_SYNC_PASSWORD',
} as const
type User = keyof typeof USERS

/** How long a refused request may take, in milliseconds. */
const REFUSED_MS = 2_000

/* Debian's server runs with infra/nats/nats.conf as it is, but for its store and its second port. */
needing(OWN_NATS).describe('the users of infra/nats', () => {
  let folder: string
  let file: string
  let server: NativeNats
  const buses: Bus[] = []
  const connections: NatsConnection[] = []
  beforeAll(async () => {
    for (const name of Object.values(USERS)) vi.stubEnv(name, passwordOf(name))
    folder = mkdtempSync(join(tmpdir(), 'daybook-nats-users-'))
    cpSync(join(REPOSITORY, 'infra/nats'), folder, { recursive: true })
    file = join(folder, 'nats.conf')
    const settings = readFileSync(file, 'utf8')
    writeFileSync(file, settings.replace(/^http: .*$|^ *store_dir: .*$/gmu, ''))
    server = await startNativeNats(['--config', file])
    // The stream is the gateway's to make.
    await publish(await open('gateway'), newId(), 1)
  })
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()))
    await Promise.all(connections.splice(0).map((connection) => connection.close()))
  })
  afterAll(async () => {
    await server?.stop()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    vi.unstubAllEnvs()
  })

  const passwordOf = (variable: string) => `n${variable.toLowerCase()}`
  const addressOf = (user: User) => server.url.replace('://', `://${user}:${passwordOf(USERS[user])}@`)
  const open = async (user: User): Promise<Bus> => {
    const bus = await openJetStreamBus({ url: addressOf(user), logger: silentLogger })
    buses.push(bus)
    return bus
  }
  const publish = (bus: Bus, project: string, sequence: number) =>
    bus.publish(project, [noteEvent(project, sequence)])
  const raw = async (user: User): Promise<NatsConnection> => {
    const connection = await connect({ ...parseServerAddress(addressOf(user)).options, reconnect: false })
    connections.push(connection)
    return connection
  }
  const managerOf = async (user: User) => {
    const connection = await raw(user)
    return jetstreamManager(connection, { checkAPI: false, timeout: REFUSED_MS })
  }

  it('nobody gets in without one', async () => {
    const refused = { reconnect: false, ignoreAuthErrorAbort: false }
    await expect(connect({ ...parseServerAddress(server.url).options, ...refused })).rejects.toThrow(
      /authorization/iu,
    )
    const wrong = server.url.replace('://', '://gateway:guessed@')
    await expect(connect({ ...parseServerAddress(wrong).options, ...refused })).rejects.toThrow(
      /authorization/iu,
    )
  })

  it('each service does its work with its own', async () => {
    const gateway = await open('gateway')
    const heard: string[] = []
    gateway.subscribe(({ projectId }) => void heard.push(projectId))
    const taken = new Map<User, string[]>()
    const project = newId()
    for (const user of ['projector-pgvector', 'projector-typesense', 'reindex'] as const) {
      const bus = await open(user)
      expect(await bus.status()).toMatchObject({ problem: null })
      taken.set(user, [])
      bus.consume(`${user}-1`, async ({ projectId }) => void taken.get(user)?.push(projectId))
    }
    // Consumers begin with what is published once they are there.
    let sequence = 0
    await expect
      .poll(
        async () => {
          await publish(gateway, project, ++sequence)
          return [...taken.values(), heard].every((projects) => projects.includes(project))
        },
        { interval: 200 },
      )
      .toBe(true)
    // A replay.
    const again = newId()
    await publish(await open('reindex'), again, 1)
    await expect.poll(() => heard).toContain(again)
    expect(await gateway.status()).toMatchObject({ problem: null })
  })

  it('the gateway removes what was erased', async () => {
    const gateway = await open('gateway')
    const project = newId()
    const event = noteEvent(project, 1)
    await gateway.publish(project, [event])
    await gateway.publish(project, [
      { ...event, sequence: 2, version: 2, eventId: newId(), type: ERASED_EVENT },
    ])
    const manager = await managerOf('gateway')
    const { state } = await manager.streams.info('DAYBOOK', { subjects_filter: `daybook.${project}.>` })
    expect(Object.values(state.subjects ?? {})).toEqual([1])
  })

  it('sync publishes what it copied from another home, and removes what was erased there', async () => {
    const sync = await open('sync')
    const project = newId()
    const event = noteEvent(project, 1)
    await sync.publish(project, [event])
    await sync.publish(project, [{ ...event, sequence: 2, version: 2, eventId: newId(), type: ERASED_EVENT }])
    const manager = await managerOf('gateway')
    const { state } = await manager.streams.info('DAYBOOK', { subjects_filter: `daybook.${project}.>` })
    expect(Object.values(state.subjects ?? {})).toEqual([1])
    expect(await sync.status()).toMatchObject({ problem: null })
  })

  it('reindex removes what a deleted project published', async () => {
    const gateway = await open('gateway')
    const project = newId()
    await gateway.publish(project, [noteEvent(project, 1)])
    await (await open('reindex')).forget(project)
    const manager = await managerOf('gateway')
    const { state } = await manager.streams.info('DAYBOOK', { subjects_filter: `daybook.${project}.>` })
    expect(state.subjects ?? {}).toEqual({})
  })

  it.each(['projector-pgvector', 'projector-typesense'] as const)(
    'the %s publishes no event, and changes or empties no stream',
    async (user) => {
      const before = await (await managerOf('gateway')).streams.info('DAYBOOK')
      await expect(publish(await open(user), newId(), 1)).rejects.toThrow(/did not acknowledge/u)
      const connection = await raw(user)
      const stream = jetstream(connection, { timeout: REFUSED_MS })
      await expect(stream.publish('daybook.x.note.y', 'forged')).rejects.toThrow(/permissions violation/iu)
      const manager = await managerOf(user)
      await expect(manager.streams.purge('DAYBOOK')).rejects.toThrow(/permissions violation/iu)
      await expect(manager.streams.delete('DAYBOOK')).rejects.toThrow(/permissions violation/iu)
      await expect(manager.streams.update('DAYBOOK', { max_age: 1_000_000_000 })).rejects.toThrow(
        /permissions violation/iu,
      )
      await expect(manager.streams.add({ name: 'OTHER', subjects: ['other.>'] })).rejects.toThrow(
        /permissions violation/iu,
      )
      await expect(manager.streams.deleteMessage('DAYBOOK', 1)).rejects.toThrow(/permissions violation/iu)
      await expect(manager.consumers.delete('DAYBOOK', 'projector-pgvector-1')).rejects.toThrow(
        /permissions violation/iu,
      )
      const after = await (await managerOf('gateway')).streams.info('DAYBOOK')
      expect([after.state.messages, after.config.max_age]).toEqual([
        before.state.messages,
        before.config.max_age,
      ])
    },
  )

  it('the gateway neither deletes nor empties the stream, and takes no events from projectors', async () => {
    const manager = await managerOf('gateway')
    await expect(manager.streams.delete('DAYBOOK')).rejects.toThrow(/permissions violation/iu)
    await expect(manager.streams.purge('DAYBOOK')).rejects.toThrow(/permissions violation/iu)
    await expect(manager.consumers.add('DAYBOOK', { durable_name: 'projector-pgvector-1' })).rejects.toThrow(
      /permissions violation/iu,
    )
    expect((await manager.streams.info('DAYBOOK')).state.messages).toBeGreaterThan(0)
  })

  it('a projector that comes before any gateway waits for the stream', async () => {
    const fresh = await startNativeNats(['--config', file])
    try {
      const at = (user: User) => addressOf(user).replace(server.url.slice(7), fresh.url.slice(7))
      const { logger, lines } = createMemoryLogger()
      const projector = await openJetStreamBus({ url: at('projector-pgvector'), logger })
      buses.push(projector)
      const taken: string[] = []
      projector.consume('projector-pgvector-1', async ({ projectId }) => void taken.push(projectId))
      // As long as some tries take, each of which the server would refuse and log.
      await pause(5_000)
      expect((await projector.status()).problem).toContain('its stream is not available')
      const told = lines.map(({ msg }) => msg)
      expect(told.filter((line) => line === 'NATS reports an error')).toHaveLength(1)
      expect(told).toContainEqual(expect.stringContaining('there is no stream DAYBOOK yet'))
      expect(JSON.stringify(lines)).not.toContain('"stack"')
      const gateway = await openJetStreamBus({ url: at('gateway'), logger: silentLogger })
      buses.push(gateway)
      const project = newId()
      let sequence = 0
      await expect
        .poll(
          async () => {
            await publish(gateway, project, ++sequence)
            return taken.includes(project)
          },
          { interval: 300 },
        )
        .toBe(true)
      expect((await projector.status()).problem).toBeNull()
    } finally {
      await Promise.all(buses.splice(0).map((bus) => bus.close()))
      await fresh.stop()
    }
  })

  it('with a certificate, a service connects over TLS if it trusts the authority, and not otherwise', async () => {
    const openssl = (...args: string[]) => promisify(execFile)('openssl', args, { cwd: folder })
    const request = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    await openssl(
      ...request,
      '-x509',
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=authority',
    )
    await openssl(...request, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=nats')
    writeFileSync(join(folder, 'names'), 'subjectAltName = DNS:localhost')
    const signs = ['-req', '-in', 'request.pem', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial']
    await openssl('x509', ...signs, '-out', 'cert.pem', '-days', '2', '-extfile', 'names')
    const secured = await startNativeNats([
      '--config',
      file,
      '--tls',
      '--tlscert',
      join(folder, 'cert.pem'),
      '--tlskey',
      join(folder, 'key.pem'),
    ])
    const statusWith = async (environment: Readonly<Record<string, string>>) => {
      // By its name: the client compares certificates with names, not with addresses.
      const url = `tls://gateway:${passwordOf(USERS.gateway)}@localhost:${new URL(secured.url).port}`
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--import', 'tsx', 'test/src/bus-status/main.ts'],
        {
          cwd: REPOSITORY,
          env: {
            PATH: process.env['PATH'],
            NATS_URL: url,
            ...environment,
          },
        },
      )
      return JSON.parse(stdout) as { readonly problem: string | null }
    }
    try {
      expect((await statusWith({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })).problem).toBeNull()
      expect((await statusWith({})).problem).toContain('cannot be reached')
    } finally {
      await secured.stop()
    }
  })
})
