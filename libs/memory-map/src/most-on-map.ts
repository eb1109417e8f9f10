/** The most memories on a map: the newest. With more it would take minutes, and no screen shows more. */
export const MOST_ON_MAP = 20_000
