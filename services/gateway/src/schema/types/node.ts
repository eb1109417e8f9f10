import { builder } from '../builder.ts'

/** Relay's Node, with our own ids instead of the plugin's base64. */
export const node = builder.interfaceRef<unknown>('Node')

builder.interfaceType(node, {
  description: 'Anything that has an id.',
  fields: (t) => ({
    id: t.id({
      resolve: () => {
        throw new Error('every type that implements Node gives its own id')
      },
    }),
  }),
})
