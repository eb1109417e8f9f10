/** Typesense gave no answer to a search, which goes to Postgres instead. The message continues "typesense …". */
export class TypesenseFailed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TypesenseFailed'
  }
}
