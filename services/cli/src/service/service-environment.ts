import { daemonEnvironment } from '@daybook/local-daemon/daemon-environment'
import { SETTINGS } from '@daybook/runtime/settings'
import { fileVariable, listSettings } from '@daybook/runtime/settings/setting'
import type { Environment } from '../settings.ts'

/** What a service is told of the settings in the environment that it is installed from. */
export interface ServiceEnvironment {
  /** Everything that is set and no secret, with the data folder; paths are absolute. */
  readonly environment: Readonly<Record<string, string>>
  /** The names of secrets that are set. They are not passed on, because others may read the service's file in backups and reports. */
  readonly secrets: readonly string[]
}

/** An address with a name and a password in it. */
const WITH_PASSWORD = /:\/\/[^\s/@]*@/u

/** The settings for a service. Files of secrets (`…_FILE`) are passed on by their names. */
export function serviceEnvironment(dataDir: string, environment: Environment): ServiceEnvironment {
  const given = daemonEnvironment(dataDir, environment)
  const settings = listSettings(SETTINGS)
  const named = settings.flatMap(({ name, type, secret = false }) => [
    // OpenAI's key has a setting of its own for its file.
    { name, secret: secret || type === 'secret' },
    ...(secret ? [{ name: fileVariable(name), secret: false }] : []),
  ])
  const set = named.flatMap(({ name, secret }) => {
    const value = given[name]
    return value ? [{ name, value, secret: secret || WITH_PASSWORD.test(value) }] : []
  })
  return {
    environment: Object.fromEntries(
      set.filter(({ secret }) => !secret).map(({ name, value }) => [name, value]),
    ),
    secrets: set.filter(({ secret }) => secret).map(({ name }) => name),
  }
}
