import type { Logger } from './logger.ts'

/** What is heard of rejections: `process`, or a stand-in in tests. */
interface Emitter {
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown
  off(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown
}

/** One for the process, as Node's event is. */
const seen = { count: 0, lastAt: '' }

/**
 * Keeps the process alive where a promise is rejected that nobody awaits: that is a fault of ours in one piece of work,
 * and others must not pay for it. Each is logged and counted, and `/ready` says so.
 * @returns ends it, and forgets what it has seen
 */
export function surviveRejections(logger: Pick<Logger, 'error'>, emitter: Emitter = process): () => void {
  const note = (reason: unknown): void => {
    seen.count += 1
    seen.lastAt = new Date().toISOString()
    const error = reason instanceof Error ? reason : new Error(String(reason))
    logger.error({ error }, 'an error was not handled: this is a fault of Daybook. The process goes on')
  }
  emitter.on('unhandledRejection', note)
  return () => {
    emitter.off('unhandledRejection', note)
    Object.assign(seen, { count: 0, lastAt: '' })
  }
}

/** How many there were since the process began. */
export const countRejections = (): number => seen.count

/** What `/ready` says of them: nothing of their content, because it asks for no key. */
export const describeRejections = (): readonly string[] =>
  seen.count === 0
    ? []
    : [
        `errors that nothing handled since the process began: ${seen.count}, the last at ${seen.lastAt}. Its log has them; please report them`,
      ]
