/** The descriptions of arguments that name an event by its hash too. */
export const AFTER_HASH =
  'The `hash` of the event at `after`. If the journal has another event there, or none, the error is DIVERGED. That happens after a failover that lost the last moments.'

/** The description of `atLeastHash`. */
export const AT_LEAST_HASH =
  'The `hash` of the receipt. If the journal has another event there, or none, the error is DIVERGED: the acknowledged write is lost. That happens after a failover that lost the last moments.'
