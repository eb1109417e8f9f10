import { DaybookError } from '@daybook/memory/errors'
import { type LoginLink, makeLoginLink } from '../../console/make-login-link.ts'
import { builder } from '../builder.ts'
import { NOTHING } from '../needs.ts'

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
