// esbuild runs in a process of its own, which would stay beside the daemon that starts from the bundle.
import { stop } from 'esbuild'

let working = 0

/**
 * Runs some work that uses esbuild, and ends its process after the last of them.
 * @template Result
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withEsbuild(work) {
  working += 1
  try {
    return await work()
  } finally {
    working -= 1
    if (working === 0) await stop()
  }
}
