import { NotFoundError } from '@daybook/memory/errors'
import { findProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import type { Check } from '../../checks/check.ts'
import { runChecks } from '../../checks/run-checks.ts'
import { builder } from '../builder.ts'
import { DAYBOOK, requireAdmin } from '../resolve-in-project.ts'

const checkStatus = builder.enumType('CheckStatus', {
  values: {
    OK: {},
    WARNING: { description: 'It works, but an operator should know or do something.' },
    FAILED: { description: 'It does not work.' },
  },
})

const check = builder.objectRef<Check>('Check')

builder.objectType(check, {
  description: 'The result of checking one thing that this gateway needs.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'What was checked, in a word: database, relay, embedder.',
    }),
    status: t.field({ type: checkStatus, resolve: ({ status }) => status }),
    message: t.exposeString('message'),
    advice: t.exposeString('advice', { nullable: true, description: 'What to do about it.' }),
  }),
})

builder.queryField('checks', (t) =>
  t.field({
    ...DAYBOOK,
    type: [check],
    complexity: 500,
    description: 'Checks every dependency and setting. It takes some seconds if something does not move.',
    resolve: (_, __, context) => runChecks({ ...context.parts, db: requireAdmin(context) }),
  }),
)

/**
 * The id of the project with that name or id; null if none is given.
 * @throws NotFoundError
 */
export async function checkProject(
  db: Database,
  nameOrId: string | null | undefined,
): Promise<string | null> {
  if (nameOrId == null) return null
  const project = await findProject(db, nameOrId)
  if (project === null) throw new NotFoundError(`The project "${nameOrId.slice(0, 64)}"`, 'Daybook')
  return project.id
}
