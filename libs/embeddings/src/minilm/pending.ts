import type { EmbedderError } from '../embedder-error.ts'

/**
 * A request whose results come in any order. Its promise resolves with all of them in the order requested.
 */
export class Pending<T> {
  readonly promise: Promise<T[]>
  #results: T[]
  #missing: number
  #isSettled = false
  #resolve!: (results: T[]) => void
  #reject!: (error: EmbedderError) => void

  /** @param count how many results are awaited; 0 resolves at once */
  constructor(count: number) {
    this.#results = Array.from<T>({ length: count })
    this.#missing = count
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    if (count === 0) this.#settle()
  }

  /** True once all results are there or one failed: nothing more needs to be computed for it. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  /** Ignored after a rejection. */
  fill(index: number, result: T): void {
    this.#results[index] = result
    if (--this.#missing === 0 && !this.#isSettled) this.#settle()
  }

  /** Only the first call counts. */
  reject(error: EmbedderError): void {
    this.#isSettled = true
    this.#reject(error)
  }

  #settle(): void {
    this.#isSettled = true
    this.#resolve(this.#results)
  }
}
