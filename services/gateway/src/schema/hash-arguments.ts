/** What the arguments that name an event by its hash too are documented with. */
export const AFTER_HASH =
  'The `hash` of the event at `after`. Where the journal has another one there, or none, as after a failover that lost its last moments, the error is DIVERGED instead of events that do not follow on it.'

export const AT_LEAST_HASH =
  'The `hash` of the receipt. Where the journal has another event there, or none, as after a failover that lost its last moments, the error is DIVERGED: what was acknowledged is lost.'
