import { check } from '@daybook/memory/check'
import { DaybookError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import { USUAL_TRUST } from '@daybook/memory/trust'
import { SCOPES, type Scope } from '@daybook/postgres/access/api-keys'
import {
  type ApiKey,
  type CreatedKey,
  listKeys,
  makeKey,
  revokeKey,
  rotateKey,
} from '@daybook/postgres/access/manage-keys'
import { readProjects } from '@daybook/postgres/access/projects'
import { setKeyTrust } from '@daybook/postgres/access/quarantines'
import { type LoginLink, makeLoginLink } from '../../console/serve-console.ts'
import type { Context } from '../../context.ts'
import { builder } from '../builder.ts'
import {
  ADMIN,
  administered,
  administeredProject,
  NOTHING,
  requireRecentLogin,
} from '../resolve-in-project.ts'
import { enumOfWords } from '../types/enum-of-words.ts'
import { project } from '../types/project.ts'
import { trustLevel } from '../types/writer.ts'
import { OperationRefusedError } from './operation-refused.ts'

/** The most projects that one key names. */
const MOST_PROJECTS = 100

/** How long a rotated key stays valid, in seconds: by default a day, at most 30 days. */
const GRACE = { usual: 86_400, most: 30 * 86_400 } as const

const keyScope = enumOfWords<Scope>('KeyScope', {
  read: 'Queries and subscriptions.',
  write:
    'Mutations. Without READ, their answers show of a memory only its id, kind, version, sequence and hash.',
  follow: 'Another Daybook may copy the whole journal, also what is withheld from readers.',
  admin: 'Keys and names of its projects. Of all projects: whatever concerns the whole Daybook.',
})

const apiKey = builder.objectRef<ApiKey>('ApiKey')

builder.objectType(apiKey, {
  description: 'An API key, without the key itself, which Daybook does not know.',
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name', { description: 'The actor of the events written with it.' }),
    prefix: t.exposeString('prefix', {
      nullable: true,
      description: 'How the key begins; null if it is older than this field.',
    }),
    scopes: t.field({
      type: [keyScope],
      resolve: ({ scopes }) => SCOPES.filter((one) => scopes.includes(one)),
    }),
    projects: t.field({
      type: [project],
      description: 'The projects that it may use, as far as the asking key administers them.',
      resolve: ({ projects }, _, context) => {
        const own = administered(context)
        const shown = projects?.filter((id) => own === null || own.includes(id)) ?? own
        return readProjects(context.directory, shown)
      },
    }),
    allProjects: t.boolean({
      description: 'Whether it may use all projects, also those that do not exist yet.',
      resolve: ({ projects }) => projects === null,
    }),
    wholeDaybook: t.exposeBoolean('admin', {
      description: 'Whether its scope ADMIN is for the whole Daybook, not only for its projects.',
    }),
    createdAt: t.field({ type: 'DateTime', resolve: (one) => one.createdAt }),
    expiresAt: t.field({ type: 'DateTime', nullable: true, resolve: (one) => one.expiresAt }),
    revokedAt: t.field({ type: 'DateTime', nullable: true, resolve: (one) => one.revokedAt }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'To about a minute.',
      resolve: (one) => one.lastUsedAt,
    }),
    trust: t.field({
      type: trustLevel,
      resolve: (one) => one.trust,
      description: 'How far what it writes, and ever wrote, is trusted.',
    }),
    replacedBy: t.exposeID('replacedBy', { nullable: true, description: 'The key that it was rotated to.' }),
    isValid: t.boolean({ resolve: ({ revokedAt, isExpired }) => revokedAt === null && !isExpired }),
    isOwn: t.boolean({
      description: 'Whether it is the key of this request.',
      resolve: ({ id }, _, { access }) => id === access.keyId,
    }),
  }),
})

builder.queryField('keys', (t) =>
  t.field({
    ...ADMIN,
    type: [apiKey],
    description: 'The keys that the asking key administers, the oldest first; revoked and expired ones too.',
    args: { project: t.arg.string({ description: 'Only those that may use this project: its name or id.' }) },
    resolve: async (_, { project: named }, context) => {
      const ofProjects =
        named == null ? administered(context) : [(await administeredProject(context, named)).id]
      return listKeys(context.directory, ofProjects)
    },
  }),
)

interface MadeKey extends CreatedKey {
  readonly apiKey: ApiKey
  readonly replaces: ApiKey | null
}

const createdKey = builder.objectRef<MadeKey>('CreatedKey')

builder.objectType(createdKey, {
  description: 'A new key.',
  fields: (t) => ({
    id: t.exposeID('id'),
    key: t.exposeString('key', {
      description: 'The key itself. It is shown only here, only once: keep it now.',
    }),
    apiKey: t.field({ type: apiKey, resolve: (made) => made.apiKey }),
    replaces: t.field({
      type: apiKey,
      nullable: true,
      description: 'After `rotateKey`, the old key. It stays valid until its `expiresAt`.',
      resolve: (made) => made.replaces,
    }),
  }),
})

const createdKeyResult = builder.errorUnion('CreatedKeyResult', {
  types: [createdKey, ValidationError, NotFoundError, OperationRefusedError],
  resolveType: () => 'CreatedKey',
})

const createKeyInput = builder.inputType('CreateKeyInput', {
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'Who uses it. Events written with it have it as `actor`.',
    }),
    projects: t.stringList({
      description: 'The projects that it may use, by name or id. Default: the project of the request.',
    }),
    allProjects: t.boolean({
      defaultValue: false,
      description: 'All projects, also those to come. Only a key of the whole Daybook may give this.',
    }),
    scopes: t.field({ type: [keyScope], required: true }),
    expiresAt: t.field({ type: 'DateTime', description: 'Default: it does not expire.' }),
    trust: t.field({ type: trustLevel, defaultValue: 'normal' }),
  }),
})

const revoked = builder.objectRef<{ readonly id: string; readonly apiKey: ApiKey }>('RevokedKey')

builder.objectType(revoked, {
  description: 'The key opens nothing any more: within 2 s everywhere, with its subscriptions within 5 s.',
  fields: (t) => ({
    id: t.exposeID('id'),
    apiKey: t.field({ type: apiKey, resolve: (one) => one.apiKey }),
  }),
})

const trustedKey = builder.objectRef<{ readonly id: string; readonly apiKey: ApiKey }>('TrustedKey')

builder.objectType(trustedKey, {
  description: 'The key is trusted so far from the next request on.',
  fields: (t) => ({
    id: t.exposeID('id'),
    apiKey: t.field({ type: apiKey, resolve: (one) => one.apiKey }),
  }),
})

builder.mutationFields((t) => ({
  createKey: t.field({
    ...ADMIN,
    type: createdKeyResult,
    description:
      'Makes a key for projects that the asking key administers. A session of the console may do so within 10 minutes of its login.',
    args: { input: t.arg({ type: createKeyInput, required: true }) },
    resolve: async (_, { input }, context) => {
      await requireRecentLogin(context)
      const projects = await projectsFor(context, input)
      const made = await makeKey(context.directory, context.access, {
        name: checkName(input.name),
        projects,
        scopes: checkGiven(input.scopes),
        expiresAt: checkExpiry(input.expiresAt),
        trust: input.trust ?? USUAL_TRUST,
      })
      return { ...made, apiKey: await requireKey(context, made.id), replaces: null }
    },
  }),
  rotateKey: t.field({
    ...ADMIN,
    type: createdKeyResult,
    description:
      'Makes a key that may do the same as another one, and ends that one after a grace period, unless it is revoked or expires before. A session of the console may do so within 10 minutes of its login.',
    args: {
      id: t.arg.id({ required: true }),
      graceSeconds: t.arg.int({
        defaultValue: GRACE.usual,
        description: 'How long the old key stays valid: 0 to 2,592,000 (30 days). Default: a day.',
      }),
    },
    resolve: async (_, { id, graceSeconds }, context) => {
      const grace = graceSeconds ?? GRACE.usual
      if (grace < 0 || grace > GRACE.most)
        throw new ValidationError('graceSeconds', 'must be from 0 to 2,592,000, which are 30 days')
      await requireRecentLogin(context)
      const old = await requireOwnKey(context, id)
      const made = await rotateKey(context.directory, context.access, { keyId: old.id, graceSeconds: grace })
      if (made === null) throw new OperationRefusedError('REFUSED', whyNotRotated(old))
      // A key whose grace is over at once must not work from a cache.
      context.parts.authenticate.forget()
      const [apiKeyNow, replaces] = [await requireKey(context, made.id), await requireKey(context, old.id)]
      return { ...made, apiKey: apiKeyNow, replaces }
    },
  }),
  setKeyTrust: t.field({
    ...ADMIN,
    type: builder.errorUnion('SetKeyTrustResult', {
      types: [trustedKey, ValidationError, NotFoundError],
      resolveType: () => 'TrustedKey',
    }),
    description:
      'Sets how far a key is trusted, with those that it was rotated to or from: at once, for all that they ever wrote.',
    args: { id: t.arg.id({ required: true }), trust: t.arg({ type: trustLevel, required: true }) },
    resolve: async (_, { id, trust }, context) => {
      const { id: keyId } = await requireOwnKey(context, id)
      await setKeyTrust(context.directory, context.access, keyId, trust)
      return { id: keyId, apiKey: await requireKey(context, keyId) }
    },
  }),
  revokeKey: t.field({
    ...ADMIN,
    type: builder.errorUnion('RevokeKeyResult', {
      types: [revoked, ValidationError, NotFoundError],
      resolveType: () => 'RevokedKey',
    }),
    description: 'Ends a key for good.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_, { id }, context) => {
      const { id: keyId } = await requireOwnKey(context, id)
      await revokeKey(context.directory, context.access, keyId)
      context.parts.authenticate.forget()
      return { id: keyId, apiKey: await requireKey(context, keyId) }
    },
  }),
}))

/** The ids of the projects that a new key is for; null: all. */
async function projectsFor(
  context: Context,
  { projects, allProjects }: typeof createKeyInput.$inferInput,
): Promise<readonly string[] | null> {
  if (allProjects === true) {
    if (projects != null) throw new ValidationError('input.projects', 'must be left out with allProjects')
    if (administered(context) !== null)
      throw new ValidationError('input.allProjects', 'may be given only by a key that runs the whole Daybook')
    return null
  }
  if (projects == null) {
    const { projectId } = context.project
    return [(await administeredProject(context, projectId)).id]
  }
  if (projects.length === 0 || projects.length > MOST_PROJECTS)
    throw new ValidationError(
      'input.projects',
      `must name 1 to ${MOST_PROJECTS} projects, or say allProjects`,
    )
  const found: string[] = []
  for (const nameOrId of projects) found.push((await administeredProject(context, nameOrId)).id)
  return [...new Set(found)]
}

const checkName = (name: string): string => check('input.name', shortString(LIMITS.nameCharacters), name)

function checkGiven(scopes: readonly Scope[]): readonly Scope[] {
  if (scopes.length === 0)
    throw new ValidationError('input.scopes', 'must name at least one of READ, WRITE, ADMIN')
  return [...new Set(scopes)]
}

function checkExpiry(expiresAt: string | null | undefined): string | null {
  if (expiresAt == null) return null
  if (Date.parse(expiresAt) <= Date.now())
    throw new ValidationError('input.expiresAt', 'lies in the past: give a later moment')
  return expiresAt
}

async function findKey(context: Context, id: string): Promise<ApiKey | undefined> {
  return (await listKeys(context.directory, administered(context))).find((one) => one.id === id.toLowerCase())
}

/** @throws NotFoundError for a key that the asking key may not see, too */
async function requireKey(context: Context, id: string): Promise<ApiKey> {
  const found = isUuid(id) ? await findKey(context, id) : undefined
  if (found === undefined) throw new NotFoundError(`The key ${id.slice(0, 64)}`, 'Daybook')
  return found
}

/**
 * A key that the asking key may change.
 * @throws DaybookError FORBIDDEN if it opens other projects too, or runs the whole Daybook
 */
async function requireOwnKey(context: Context, keyId: string): Promise<ApiKey> {
  const found = await requireKey(context, keyId)
  const own = administered(context)
  const isInside = found.projects?.every((id) => own?.includes(id)) ?? false
  if (own !== null && (found.admin || !isInside))
    throw new DaybookError(
      'FORBIDDEN',
      `The key "${found.name}" opens more than this key administers: ask whoever runs the whole Daybook`,
    )
  return found
}

function whyNotRotated({ name, replacedBy, revokedAt }: ApiKey): string {
  if (revokedAt !== null) return `The key "${name}" was revoked: create another one instead`
  if (replacedBy !== null) return `The key "${name}" was rotated already, to ${replacedBy}: rotate that one`
  return `The key "${name}" has expired: create another one instead`
}

const loginLink = builder.objectRef<LoginLink>('LoginLink')

builder.objectType(loginLink, {
  description: 'A link that logs a browser in to the web console, once.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description:
        'What follows the address of Daybook: `/console/login#token=…`. The address is the one that the browser reaches it by, which a gateway behind a proxy does not know. Keep it secret: whoever opens it first has the rights of the key.',
    }),
    expiresAt: t.field({ type: 'DateTime', resolve: (link) => link.expiresAt }),
  }),
})

builder.mutationField('createLoginLink', (t) =>
  t.field({
    ...NOTHING,
    type: loginLink,
    description:
      'Makes a link that logs a browser in to the web console with the rights of the asking key. It works once, for 5 minutes; of one key the 10 newest work. The session ends when the key does.',
    resolve: (_, _args, { access, directory, parts }) => {
      if (!parts.config.console.enabled)
        throw new DaybookError('REFUSED', 'This Daybook has no web console: DAYBOOK_CONSOLE is off')
      return makeLoginLink(directory, access)
    },
  }),
)
