import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { SETTINGS as ALL } from '@daybook/runtime/settings'
import { describeSettings } from '@daybook/runtime/settings/setting'
import { expect } from 'vitest'

/** The path of a file of the repository. */
export const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
/** Its content. */
export const read = (path: string) => readFileSync(root(path), 'utf8')
/** The services that run as processes. */
export const SERVICES = Object.keys(DEFAULT_PORTS) as (keyof typeof DEFAULT_PORTS)[]
/** The names of all settings. */
export const SETTINGS: ReadonlySet<string> = new Set(describeSettings(ALL).map(({ name }) => name))

/**
 * `node services/gateway/dist/main.js`: the bundle of a main that there is, made by the service's `build`.
 */
export function expectBundle(service: string, command: readonly string[] | undefined): void {
  expect(command).toEqual(['node', `services/${service}/dist/main.js`])
  expect(existsSync(root(`services/${service}/src/main.ts`)), `services/${service}/src/main.ts`).toBe(true)
  const { scripts, bundle } = JSON.parse(read(`services/${service}/package.json`))
  expect(scripts.build).toContain('build.mjs')
  expect(bundle.main).toBe('src/main.ts')
}
