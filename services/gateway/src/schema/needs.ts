import type { Scope } from '@daybook/postgres/access/scopes'

/*
 * Which scopes a field needs. `http/check-scopes.ts` reads that from the schema and refuses an operation before
 * any of it runs. A field of `Query` or `Subscription` needs READ and one of `Mutation` WRITE without saying
 * so; a field says it here if it needs another scope, or if it tells more than the operation that leads to it.
 */

/** A scope, or `daybook`: the scope ADMIN over all projects. */
export type Need = Scope | 'daybook'

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    readonly needs?: readonly Need[]
  }
}

const needs = (...all: Need[]) => ({ extensions: { needs: all } }) as const

/** Spread into the options of a field that needs ADMIN in the projects it is about. */
export const ADMIN = needs('admin')
/** Into those of a field that concerns all projects. */
export const DAYBOOK = needs('daybook')
/** Into those of a field inside a mutation's answer that tells what was there before. */
export const READ = needs('read')
/** Into those of a field that any valid key may ask for. */
export const NOTHING = needs()
