import type { Check } from '../../checks/check.ts'
import { runChecks } from '../../checks/run-checks.ts'
import { builder } from '../builder.ts'
import { DAYBOOK } from '../needs.ts'
import { requireAdmin } from '../require-admin.ts'

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
