import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import { removalOf } from '@daybook/operations/request'
import { type DeletedProject, listDeleted } from '@daybook/postgres/access/delete-project'
import { deleteProject, OUT_OF_REACH } from '../../erase.ts'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { DAYBOOK, requireAdmin } from '../resolve-in-project.ts'
import { checkFirst } from '../types/page.ts'
import { operation } from './operations.ts'

const deletedProject = builder.objectRef<DeletedProject>('DeletedProject')

builder.objectType(deletedProject, {
  description:
    'The trace of a deleted project. Its name is not kept, because it may be a customer’s; the name is free again.',
  fields: (t) => ({
    id: t.exposeID('id'),
    deletedBy: t.exposeString('deletedBy', {
      nullable: true,
      description: 'The name of the key that asked for it.',
    }),
    events: t.exposeInt('events', { description: 'How many events its journal had.' }),
    requestedAt: t.field({ type: 'DateTime', resolve: (one) => one.requestedAt }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: (one) => one.finishedAt,
      description: 'Null while something of it may be left, such as in a Typesense that is down.',
    }),
    operation: t.field({
      ...DAYBOOK,
      type: operation,
      nullable: true,
      resolve: ({ id }, _, context) => removalOf(requireAdmin(context), id),
      description: 'The operation that removes what the project held.',
    }),
    outOfReach: t.stringList({
      resolve: () => OUT_OF_REACH,
      description: 'What may hold copies that Daybook cannot reach.',
    }),
  }),
})

const deleteProjectResult = builder.errorUnion('DeleteProjectResult', {
  types: [deletedProject, ValidationError, NotFoundError],
  resolveType: () => 'DeletedProject',
})

builder.mutationField('deleteProject', (t) =>
  t.field({
    ...DAYBOOK,
    type: deleteProjectResult,
    description:
      'Deletes a project for good, with its journal, indexes, vectors and messages. Nobody can read or write it from the answer on (at other gateways, nobody can read it after 2 s). Keys that open only this project are revoked; one that runs the whole Daybook opens the project `default` then, which is made again if it is the deleted one. An operation removes what the project held, and goes on after a crash. It cannot be undone or cancelled.',
    args: {
      id: t.arg.id({
        required: true,
        description: 'The project’s id or name. With the id, asking again gives the same answer.',
      }),
      confirm: t.arg.string({
        required: true,
        description: 'The project’s name, so that it is the right one.',
      }),
    },
    resolve: (_, { id, confirm }, context) => deleteProject(requireAdmin(context), context, id, confirm),
  }),
)

builder.queryField('deletedProjects', (t) =>
  t.field({
    ...DAYBOOK,
    type: [deletedProject],
    description: 'The projects that were deleted, the last one first.',
    args: { first: t.arg.int({ defaultValue: 20 }) },
    complexity: ({ first }) => listCost(first),
    resolve: (_, { first }, context) =>
      listDeleted(requireAdmin(context), checkFirst(first, { fallback: 20 })),
  }),
)
