/**
 * What was started before anybody waits for it. If something else fails meanwhile, nobody will: then that failure is
 * reported, and this one is not, nor does it end the process. Whoever does wait gets it.
 */
export function startedEarly<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {})
  return work
}
