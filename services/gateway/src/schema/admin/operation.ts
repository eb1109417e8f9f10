import type { Operation } from '@daybook/operations/operation'
import { builder } from '../builder.ts'

export const operation = builder.objectRef<Operation>('Operation')

builder.objectType(operation, {
  description:
    'Long work that an operator asked for. It goes on whether somebody watches or not, and after a crash.',
  fields: (t) => ({
    id: t.exposeID('id'),
    type: t.exposeString('type', {
      description: 'reindex, verify, verify-journal, replay, backfill or retry-parked',
    }),
    projection: t.exposeString('projection', { nullable: true }),
    options: t.field({ type: 'JSON', resolve: ({ options }) => options }),
    status: t.exposeString('status', { description: 'queued, running, succeeded, failed or cancelled' }),
    phase: t.exposeString('phase', { description: 'What it is doing, in a word or two.' }),
    done: t.exposeInt('done'),
    total: t.exposeInt('total', { nullable: true, description: 'Null while that is not known.' }),
    result: t.field({ type: 'JSON', nullable: true, resolve: ({ result }) => result }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why it failed; while it is running, what it waits for.',
    }),
    cancelRequested: t.exposeBoolean('cancelRequested'),
    requestedBy: t.exposeString('requestedBy', { nullable: true }),
    createdAt: t.field({ type: 'DateTime', resolve: (one) => one.createdAt }),
    startedAt: t.field({ type: 'DateTime', nullable: true, resolve: (one) => one.startedAt }),
    updatedAt: t.field({ type: 'DateTime', resolve: (one) => one.updatedAt }),
    finishedAt: t.field({ type: 'DateTime', nullable: true, resolve: (one) => one.finishedAt }),
  }),
})
