/** An engine gave no answer to a search, which goes to Postgres instead. The message continues its name: "unreachable". */
export class EngineFailed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EngineFailed'
  }
}
