import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pause } from '@daybook/runtime/backoff'
import { constantFrom, nat, oneof, record, sample } from 'fast-check'
import type { TestDaemon } from '../../support/daemon.ts'
import { askGraphQL, type GraphQLRequest } from '../../support/graphql.ts'
import { applyEdit, type Edit, edit } from '../fuzz-request.ts'
import { type Answer, faultOf } from '../send.ts'
import { BEGINNING, byMemory, type Place, renewed, type StreamedEvent, sealed } from './false-journal.ts'
import { idOf } from './fresh-id.ts'
import { type Mutation, mutate, mutations } from './mutations.ts'
import { type Exchange, eventsOf } from './recording.ts'

/** What a false home does with the next question. */
interface FalseAnswer {
  /** Of a stream: what of it is changed, or what is done instead. */
  readonly stream:
    | 'events'
    | 'sealed events'
    | 'lines'
    | 'refused'
    | 'diverged'
    | 'write'
    | 'encoding'
    | 'too long'
  readonly changes: readonly Mutation[]
  readonly cut: Edit | null
  readonly which: number
  readonly status: number
}

const STATUSES = [200, 201, 204, 301, 400, 401, 403, 404, 409, 410, 421, 429, 500, 503]
/** Milliseconds after which a project whose follower does not ask any more is resumed. */
const IDLE_MS = 1_500
/** Projects that are followed side by side. */
const PROJECTS = 16
/** One in so many projects is given to the follower when it asks no more; then another is followed instead. */
const PROMOTED = 20

/** What false homes need. */
export interface FalseHomes {
  readonly follower: TestDaemon
  readonly exchanges: readonly Exchange[]
  /** Of projects that are the follower's own. */
  readonly ids: readonly string[]
  /** In every text of those. */
  readonly marker: string
}

interface Followed {
  readonly id: string
  readonly name: string
  /** A key of the follower's for it. */
  readonly key: string
  /** What was sent, by hash. */
  readonly places: Map<string, Place>
  writes: number
  heardAt: number
  open: number
  isOver: boolean
}

const RESUME = `mutation ($id: ID!, $goBack: Boolean) {
  pause: changeFollowedProject(id: $id, paused: true) { __typename }
  changeFollowedProject(id: $id, paused: false, goBack: $goBack) { __typename } }`
const FOLLOW = `mutation ($url: String!, $project: String!) {
  followProject(url: $url, key: "dbk_false", project: $project) {
    __typename ... on Following { followed { project { id } } } ... on DaybookError { code message } } }`
const PAUSE = `mutation ($id: ID!) { changeFollowedProject(id: $id, paused: true) { __typename } }`
const PROMOTE = `mutation ($id: ID!) { promoteProject(id: $id, url: "https://follower.example") {
  __typename ... on DaybookError { code message } } }`
const CREATE_KEY = `mutation ($id: String!) { createKey(input: { name: "k", projects: [$id], scopes: [READ, WRITE, ADMIN] }) {
  ... on CreatedKey { key } } }`
const READ = `{ memories(first: 20) { edges { node { id version title trust labels } } } journal { sequence } }`
const STATUS = `{ followedProjects { project { id name } state problem copied homeSequence movedTo waiting openConflicts } }`
const WRITES: readonly GraphQLRequest['query'][] = [
  `mutation ($text: String!) { remember(input: { content: { note: { text: $text } } }) {
    __typename ... on Remembered { sequence hash memory { id version title } } ... on DaybookError { code message } } }`,
  `mutation ($text: String!) { rememberMany(inputs: [{ content: { note: { text: $text } } }, { content: { todo: { description: $text } } }]) {
    __typename ... on Remembered { sequence memory { id version } } } }`,
]

/** Has a follower follow false homes until those have answered so many questions. */
export async function answerFalsely(
  { follower, exchanges, ids, marker }: FalseHomes,
  { count, seed }: { readonly count: number; readonly seed: number },
  onAnswer: (answer: Answer, fault: string | null) => Promise<boolean>,
): Promise<void> {
  const queue = sample(
    record<FalseAnswer>({
      stream: constantFrom<FalseAnswer['stream']>(
        ...(['events', 'lines', 'write'] as const),
        ...(['events', 'lines', 'write'] as const),
        ...(['sealed events', 'sealed events', 'sealed events', 'sealed events'] as const),
        ...(['refused', 'diverged', 'encoding', 'too long'] as const),
      ),
      changes: mutations(ids),
      cut: oneof({ weight: 1, arbitrary: edit }, { weight: 6, arbitrary: constantFrom(null) }),
      which: nat(1_000_000),
      status: oneof(
        { weight: 1, arbitrary: constantFrom(...STATUSES) },
        { weight: 6, arbitrary: constantFrom(200) },
      ),
    }),
    { numRuns: count, seed },
  )
  const asked = new Map<string, Followed>()
  let goesOn = true
  let answered = 0
  const next = (): FalseAnswer | null => {
    answered += 1
    return queue.pop() ?? null
  }
  const note = async (what: string, answer: Answer): Promise<void> => {
    const fault = faultOf(answer, marker)
    goesOn = (await onAnswer(answer, fault === null ? null : `${fault}: ${what}`)) && goesOn
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const ask = async (request: GraphQLRequest, key?: string): Promise<Record<string, never> | null> => {
    const asking =
      key === undefined
        ? follower.graphql(request)
        : askGraphQL({ url: follower.url() ?? '', apiKey: key }, request)
    const said = await asking.catch((error: Error) => ({ data: null, errors: [], failed: error.message }))
    await note(JSON.stringify(request), { status: 200, text: JSON.stringify(said) })
    return said.data as Record<string, never> | null
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const part of request) body += String(part)
    const said = decodeURIComponent(request.headers['x-daybook-project']?.toString() ?? '')
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://home')
    await note(`${pathname} was asked with`, { status: null, text: body })
    const project = asked.get(said)
    if (project !== undefined) project.heardAt = performance.now()
    const plan = next()
    if (plan === null || !goesOn) return void response.writeHead(503).end()
    if (pathname !== '/sync/journal') return reply(response, plan, usualAnswer(pathname, said, body, project))
    if (project === undefined) return void response.writeHead(404).end()
    project.open += 1
    response.once('close', () => {
      project.open -= 1
      project.heardAt = performance.now()
    })
    await stream(response, plan, project, {
      sequence: Number(searchParams.get('sequence')),
      hash: searchParams.get('hash') ?? '',
    })
  }

  function usualAnswer(path: string, said: string, body: string, project: Followed | undefined): unknown {
    const place = [...(project?.places.values() ?? [])].at(-1) ?? BEGINNING
    switch (path) {
      case '/sync/hello':
        return {
          project: { id: idOf(seed, said), name: said },
          epoch: 1,
          minimumReader: 1,
          head: place,
          movedTo: null,
        }
      case '/sync/commands':
        return { decided: decidedFor(body, place) }
      case '/sync/erase':
        return { events: [{ sequence: place.sequence, hash: place.hash }], contents: 1, missing: [] }
      case '/sync/common':
        return {
          common: (JSON.parse(body) as { places: { sequence: number }[] }).places[0]?.sequence ?? null,
        }
      default:
        return exchanges.find((one) => one.path === path)?.answer ?? {}
    }
  }

  const groups = byMemory(eventsOf(exchanges))
  async function stream(
    response: ServerResponse,
    plan: FalseAnswer,
    project: Followed,
    after: Place,
  ): Promise<void> {
    const { stream: how, changes, cut, which, status } = plan
    if (how === 'refused')
      return reply(response, { ...plan, status: status === 200 ? 403 : status }, refusal('FORBIDDEN'))
    if (how === 'diverged' && after.sequence > 0)
      return reply(response, { ...plan, status: 409, changes: [] }, refusal('DIVERGED'))
    const group = renewed(groups[which % groups.length] ?? [], `${seed}/${project.id}/${queue.length}`)
    const events =
      how === 'sealed events'
        ? sealed(project.id, after, mutate(group, changes) ?? [])
        : mutate(sealed(project.id, after, group), how === 'events' ? changes : [])
    for (const event of Array.isArray(events) ? events : []) {
      const { sequence, hash } = (event ?? {}) as StreamedEvent
      if (typeof sequence === 'number' && typeof hash === 'string')
        project.places.set(hash, { sequence, hash })
    }
    const head = (Array.isArray(events) ? (events.at(-1) as Place | undefined) : undefined) ?? after
    const state = {
      project: { id: project.id, name: project.name },
      epoch: 1,
      minimumReader: 1,
      language: 'english',
      quarantines: [
        {
          id: idOf(project.id),
          keyIds: [],
          agent: 'nobody',
          reason: 'r',
          beganAt: '2026-01-01T00:00:00.000Z',
          beganBy: 'x',
        },
      ],
      movedTo: null,
    }
    const beginning: unknown[] = [
      { state },
      { head: how === 'write' ? after : { sequence: head.sequence, hash: head.hash } },
    ]
    const lines =
      how === 'write'
        ? beginning
        : [...beginning, ...(events ?? []).map((event) => ({ event })), beginning[1], refusalLine]
    const sent = how === 'lines' ? (mutate(lines, changes) ?? []) : lines
    let text = [...(Array.isArray(sent) ? sent : [sent])].map((line) => `${JSON.stringify(line)}\n`).join('')
    if (how === 'lines' && cut !== null) text = applyEdit(text, cut)
    if (how === 'encoding') {
      response.writeHead(200, { 'content-encoding': which % 2 === 0 ? 'gzip' : 'br' })
      return void response.end(text)
    }
    response.writeHead(200)
    if (how === 'too long') {
      for (let part = 0; part < 16 && !response.destroyed; part += 1) {
        response.write('{"event":['.padEnd(512 * 1024, which % 2 === 0 ? '[],' : '"x",'))
        await pause(1)
      }
      return void response.end()
    }
    response.write(text)
    if (how === 'write') {
      project.writes += 1
      await pause(20)
      await ask(
        {
          query: WRITES[which % WRITES.length] ?? '',
          variables: { text: `${project.name} ${project.writes}` },
        },
        project.key,
      )
      if (which % 5 === 0) await ask({ query: READ }, project.key)
    }
    response.end()
  }

  function reply(response: ServerResponse, { changes, cut, status }: FalseAnswer, usual: unknown): void {
    let text = JSON.stringify(mutate(usual, changes)) ?? ''
    if (cut !== null) text = applyEdit(text, cut)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(status === 204 ? '' : text)
  }

  /** Follows one project after another, and resumes what a false home has brought to an end. */
  const following = async (worker: number): Promise<void> => {
    for (let turn = 0; goesOn && queue.length > 0; turn += 1) {
      const name = `false-${worker}-${turn}`
      const told = (await ask({ query: FOLLOW, variables: { url, project: name } }))?.['followProject'] as
        | { followed?: { project: { id: string } } }
        | undefined
      const id = told?.followed?.project.id
      if (id === undefined) continue
      const made = (await ask({ query: CREATE_KEY, variables: { id } }))?.['createKey'] as
        | { key?: string }
        | undefined
      const project: Followed = {
        id,
        name,
        key: made?.key ?? '',
        places: new Map(),
        writes: 0,
        heardAt: performance.now(),
        open: 0,
        isOver: false,
      }
      asked.set(id, project)
      for (let resumed = 1; goesOn && queue.length > 0 && !project.isOver; ) {
        await pause(50)
        if (project.open > 0 || performance.now() - project.heardAt < IDLE_MS) continue
        project.heardAt = performance.now()
        resumed += 1
        if (resumed % PROMOTED === 0) {
          await ask({ query: PROMOTE, variables: { id } })
          project.isOver = true
        } else await ask({ query: RESUME, variables: { id, goBack: resumed % 4 === 0 } })
      }
      await ask({ query: STATUS })
      // Its journal stays, and is verified afterwards.
      await ask({ query: PAUSE, variables: { id } })
    }
  }
  try {
    await Promise.all(
      Array.from({ length: Math.min(PROJECTS, Math.ceil(count / 20)) }, (_, index) => following(index)),
    )
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

const refusal = (code: string) => ({ errors: [{ message: 'no', extensions: { code } }] })
const refusalLine = { error: { code: 'UNAVAILABLE', message: 'that is all' } }

function decidedFor(body: string, { sequence, hash }: Place): unknown[] {
  const { commands } = JSON.parse(body) as { commands: { command: { id: string } }[] }
  return commands.map(({ command }) => ({
    receipt: {
      memoryId: command.id,
      version: 1,
      sequence: Math.max(1, sequence),
      hash,
      written: 'MemoryRemembered',
      duplicate: false,
    },
  }))
}
