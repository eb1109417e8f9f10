/** A text is compared with a sixteenth of itself. */
const STEP = 16
/**
 * Linear time is a factor of 16, quadratic time one of 256. Of a text whose garbage outlives the young heap a collection beside other
 * load makes 16 to 64.
 */
const IN_PROPORTION = 8 * STEP
/** Milliseconds below which a time is mostly noise. */
const SHORTEST_MS = 1
/** How often both are measured again, in turn, before the work is said to be slow. */
const TRIES = 20

/**
 * Whether work on a text takes time in proportion to its length, on a machine of any speed: it is compared with the work on a
 * sixteenth of the text. Of each the best attempt counts, as other load only adds time, and comes and goes.
 */
export async function isInProportion(work: (text: string) => unknown, text: string): Promise<boolean> {
  const part = text.slice(0, text.length / STEP)
  let [ms, partMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let tries = 0; tries < TRIES; tries += 1) {
    partMs = Math.max(SHORTEST_MS, Math.min(partMs, await timeOf(work, part)))
    ms = Math.min(ms, await timeOf(work, text))
    if (ms < IN_PROPORTION * partMs) return true
  }
  return false
}

/**
 * Milliseconds that the work takes, without the slices of the processor that a busy machine hands to others, and without the
 * collection of garbage beside it. Of work that waits for others, theirs counts too.
 */
async function timeOf(work: (text: string) => unknown, text: string): Promise<number> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  const result = work(text)
  if (!(result instanceof Promise)) {
    const { user, system } = process.cpuUsage(before)
    return Math.min((user + system) / 1_000, performance.now() - startedAt)
  }
  await result
  return performance.now() - startedAt
}
