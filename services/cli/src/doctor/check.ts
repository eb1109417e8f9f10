/** What came of looking at one thing. */
export interface Check {
  /** In a word: `database`, `key`. */
  readonly name: string
  readonly status: 'OK' | 'WARNING' | 'FAILED'
  readonly message: string
  /** What to do about it; null where there is nothing to do. */
  readonly advice: string | null
}
