/* What the package offers to programs. */
export { DaybookClientError } from './client-error.ts'
export { type ClientOptions, createClient, type DaybookClient } from './create-client.ts'
export type { RequestOptions } from './http/request.ts'
