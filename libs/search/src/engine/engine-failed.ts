/**
 * An engine did not answer a search, which Postgres answers instead. The message follows the engine's name:
 * "unreachable".
 */
export class EngineFailed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EngineFailed'
  }
}
